-- Messages: what has to be said in a session, in one order, and the proof that it was said.
-- Where a session came from is a fact for people; it never moves a run.

CREATE TABLE messages (
  pk INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES sessions (pk),
  run INTEGER REFERENCES runs (pk),
  step INTEGER,
  request INTEGER REFERENCES requests (pk),
  kind TEXT NOT NULL CHECK (kind IN ('step', 'reminder', 'resumed', 'restated', 'fallback',
    'notice')),
  cause TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'offered', 'seen', 'cancelled')),
  text ANY NOT NULL,
  door TEXT CHECK (door IN ('push', 'in_turn', 'at_stop')),
  call TEXT,
  offers INTEGER NOT NULL DEFAULT 0,
  turn TEXT CHECK (turn IN ('started', 'completed', 'aborted', 'failed')),
  created_at INTEGER NOT NULL,
  offered_at INTEGER,
  seen_at INTEGER,
  CHECK (kind <> 'notice' OR turn IS NULL)
) STRICT;

CREATE INDEX messages_open ON messages (session, pk) WHERE state IN ('pending', 'offered');
CREATE INDEX messages_step ON messages (run, step);

CREATE TABLE lineage (
  pk INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES sessions (pk),
  kind TEXT NOT NULL CHECK (kind IN ('forked', 'compacted', 'cleared', 'moved')),
  other TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX lineage_session ON lineage (session);

-- The ended run that a person took off the screen.
ALTER TABLE sessions ADD COLUMN cleared INTEGER;

-- A person's answer, stored by whoever took it, carried out by the attachment.
ALTER TABLE requests ADD COLUMN given ANY;

CREATE INDEX runs_session ON runs (session, pk);
