-- The core: definitions, runs and their steps, what is asked outside, effects, the journal.
-- A column of type ANY holds JSON text up to 4,096 characters as TEXT, or the BLOB digest of a
-- row in `blobs`. Times are milliseconds since the epoch.

CREATE TABLE blobs (
  pk INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
  data BLOB NOT NULL
) STRICT;

CREATE TABLE definitions (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  name TEXT NOT NULL,
  snapshot ANY NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  pk INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (host, id)
) STRICT;

-- The one instance that is connected to a session, and the last one that was.
CREATE TABLE attachments (
  session INTEGER PRIMARY KEY REFERENCES sessions (pk),
  epoch INTEGER NOT NULL,
  token BLOB NOT NULL CHECK (length(token) = 32),
  instance TEXT NOT NULL,
  segue TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  pid_ns TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started TEXT NOT NULL,
  reason TEXT NOT NULL,
  facts TEXT NOT NULL,
  attached_at INTEGER NOT NULL,
  detached_at INTEGER
) STRICT;

CREATE TABLE runs (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES sessions (pk),
  workflow TEXT NOT NULL,
  source_ref TEXT NOT NULL,
  definition BLOB NOT NULL REFERENCES definitions (digest),
  sources TEXT NOT NULL,
  input ANY NOT NULL,
  launch TEXT NOT NULL,
  parent TEXT,
  project TEXT NOT NULL,
  segue TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'paused', 'completed',
    'failed', 'timed_out', 'cancelled', 'ambiguous')),
  reason TEXT,
  detail TEXT,
  revision INTEGER NOT NULL,
  step INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  worker_deaths INTEGER NOT NULL DEFAULT 0,
  asked TEXT CHECK (asked IN ('pause', 'cancel', 'resume')),
  asked_by TEXT,
  output ANY,
  exit TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  CHECK (ended_at IS NULL OR state IN ('completed', 'failed', 'timed_out', 'cancelled'))
) STRICT;

-- O4: a session has at most one run that has not ended.
CREATE UNIQUE INDEX runs_live ON runs (session)
  WHERE state NOT IN ('completed', 'failed', 'timed_out', 'cancelled');

-- One row for each try of each visit. `entry` is the try's mount entry: it tells which visits
-- belong to the state that a mount was last entered with.
CREATE TABLE attempts (
  run INTEGER NOT NULL REFERENCES runs (pk),
  step INTEGER NOT NULL,
  node TEXT NOT NULL,
  visit INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'asked', 'sleeping', 'ok', 'failed',
    'timed_out', 'cancelled', 'ambiguous')),
  output ANY,
  reason TEXT,
  wake_at INTEGER,
  active_ms INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run INTEGER NOT NULL REFERENCES runs (pk),
  step INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('output', 'reply', 'checkpoint', 'human')),
  state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'cancelled')),
  text ANY NOT NULL,
  shown BLOB NOT NULL CHECK (length(shown) = 32),
  deadline INTEGER,
  rejected INTEGER NOT NULL DEFAULT 0,
  answer BLOB,
  receipt TEXT,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  FOREIGN KEY (run, step) REFERENCES attempts (run, step)
) STRICT;

-- A run asks one thing at a time.
CREATE UNIQUE INDEX requests_open ON requests (run) WHERE state = 'open';
CREATE INDEX requests_step ON requests (run, step);

CREATE TABLE rejections (
  request INTEGER NOT NULL REFERENCES requests (pk),
  number INTEGER NOT NULL,
  answer BLOB NOT NULL,
  raw ANY NOT NULL,
  problems TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (request, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE effects (
  run INTEGER NOT NULL,
  step INTEGER NOT NULL,
  key TEXT NOT NULL,
  recovery TEXT NOT NULL CHECK (recovery IN ('idempotent', 'manual')),
  state TEXT NOT NULL CHECK (state IN ('applying', 'applied', 'failed', 'ambiguous')),
  process TEXT NOT NULL,
  receipt ANY,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (run, step),
  FOREIGN KEY (run, step) REFERENCES attempts (run, step)
) STRICT, WITHOUT ROWID;

-- The latest of each key and the first, which the rate is worked out from.
CREATE TABLE updates (
  run INTEGER NOT NULL,
  step INTEGER NOT NULL,
  key TEXT NOT NULL,
  first TEXT NOT NULL,
  latest ANY NOT NULL,
  number INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (run, step, key),
  FOREIGN KEY (run, step) REFERENCES attempts (run, step)
) STRICT, WITHOUT ROWID;

-- One row for each write, in the same transaction. A run's events are numbered by its revision.
CREATE TABLE events (
  pk INTEGER PRIMARY KEY,
  run INTEGER REFERENCES runs (pk),
  session INTEGER REFERENCES sessions (pk),
  revision INTEGER NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  data TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX events_run ON events (run, revision) WHERE run IS NOT NULL;
