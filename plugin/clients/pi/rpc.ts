// A language-server child and its framed JSON-RPC: start it, call it, answer it, let it go.
// Nothing here knows what the messages mean. A dead server is started anew at the next use,
// three times with a growing pause; after that every use says so plainly until Pi is restarted.
// Who still has something under way hears of a death at once (`onLost`), and may ask for that.

import { spawn, type ChildProcess } from "node:child_process";

type Json = any;
type Handler = (params: Json, signal: AbortSignal) => Json | Promise<Json>;
type Waiting = { resolve: (value: Json) => void; reject: (error: Error) => void };

const HEAD_END = "\r\n\r\n";
const INITIALIZE_MS = 10_000;
const RESTARTS = 3;
const PAUSE_MS = [0, 500, 2_000];

// The server died before it answered: it may not have heard of what it was told.
export class Gone extends Error {}

export class Server {
  private child: ChildProcess | undefined;
  private buffer = Buffer.alloc(0);
  private next = 0;
  private asked = new Map<number | string, AbortController>();
  private waiting = new Map<number, Waiting>();
  private starts = 0;
  private starting: Promise<void> | undefined;
  private closing = false;
  private up = false;
  private why = "it was not started";

  constructor(
    private argv: string[],
    private initialize: () => Json,
    private handlers: Record<string, Handler>,
    private onReady: (call: (method: string, params: Json) => Promise<Json>) => Promise<void>,
    private onLost: () => void,
  ) {}

  get alive(): boolean {
    return this.child !== undefined;
  }

  // Start the server if it is not running; every caller waits for the same start.
  ready(): Promise<void> {
    if (this.child && !this.starting) return Promise.resolve();
    this.starting ??= this.start().finally(() => (this.starting = undefined));
    return this.starting;
  }

  private async start(): Promise<void> {
    if (this.starts > RESTARTS) {
      throw new Error(`the Segue server cannot be kept running (${this.why}); see \`segue doctor\`, then restart Pi`);
    }
    const pause = PAUSE_MS[Math.min(Math.max(this.starts - 1, 0), PAUSE_MS.length - 1)];
    this.starts += 1;
    if (pause) await new Promise((done) => setTimeout(done, pause));
    this.closing = false;
    this.buffer = Buffer.alloc(0);
    // Its standard error would draw over the terminal; the server keeps its own log.
    const child = spawn(this.argv[0], this.argv.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    this.child = child;
    child.on("error", (error) => this.died(child, error.message));
    child.on("exit", (code, signal) => this.died(child, `it ended with ${signal ?? `code ${code}`}`));
    child.stdin!.on("error", () => {});
    child.stdout!.on("data", (data: Buffer) => this.read(child, data));
    try {
      await this.send("initialize", this.initialize(), undefined, INITIALIZE_MS);
    } catch (error) {
      this.died(child, `it did not answer: ${(error as Error).message}`);
      child.kill("SIGKILL");
      throw new Error(`the Segue server did not start: ${this.why}`);
    }
    this.post({ method: "initialized", params: {} });
    // Straight through: a `call` in here would wait for the very start that it is part of.
    await this.onReady((method, params) => this.send(method, params, undefined, INITIALIZE_MS));
    this.up = this.child === child;
  }

  private died(child: ChildProcess, why: string): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.why = why;
    for (const open of this.asked.values()) open.abort();
    const lost = [...this.waiting.values()];
    this.waiting.clear();
    for (const call of lost) call.reject(new Gone(`the Segue server has gone: ${why}`));
    const worked = this.up;
    this.up = false;
    if (worked && !this.closing) this.onLost();
  }

  private read(child: ChildProcess, data: Buffer): void {
    if (this.child !== child) return;
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const head = this.buffer.indexOf(HEAD_END);
      if (head < 0) return;
      const size = Number(/content-length: *(\d+)/i.exec(this.buffer.toString("latin1", 0, head))?.[1]);
      const from = head + HEAD_END.length;
      if (Number.isNaN(size)) {
        this.buffer = this.buffer.subarray(from); // not a frame's head: noise
        continue;
      }
      if (this.buffer.length < from + size) return;
      const message = parsed(this.buffer.toString("utf8", from, from + size));
      if (!message) {
        // The framing is lost. Only a new server can mend that.
        this.died(child, "what it said was no message");
        child.kill("SIGKILL");
        return;
      }
      this.buffer = this.buffer.subarray(from + size);
      void this.received(message);
    }
  }

  private async received(message: Json): Promise<void> {
    if (message.method === undefined) {
      const call = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) call?.reject(new Error(message.error.message));
      else call?.resolve(message.result);
      return;
    }
    if (message.method === "$/cancelRequest") {
      this.asked.get(message.params?.id)?.abort();
      return;
    }
    const handler = this.handlers[message.method];
    const asked = message.id !== undefined;
    if (!handler) {
      const error = { code: -32601, message: `no ${message.method} here` };
      if (asked) this.post({ id: message.id, error });
      return;
    }
    const taken = new AbortController();
    if (asked) this.asked.set(message.id, taken);
    try {
      const result = await handler(message.params, taken.signal);
      if (asked) this.post({ id: message.id, result: result ?? null });
    } catch (error) {
      if (asked) this.post({ id: message.id, error: { code: -32803, message: String((error as Error).message) } });
    } finally {
      this.asked.delete(message.id);
    }
  }

  private post(message: Json): void {
    const stream = this.child?.stdin;
    if (!stream?.writable) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    stream.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}${HEAD_END}`), body]));
  }

  private send(method: string, params: Json, signal?: AbortSignal, ms = 0): Promise<Json> {
    return new Promise((resolve, reject) => {
      if (!this.child) return reject(new Error(`the Segue server is not running: ${this.why}`));
      const id = ++this.next;
      this.waiting.set(id, { resolve, reject });
      this.post({ id, method, params });
      if (ms) {
        setTimeout(() => {
          if (this.waiting.delete(id)) reject(new Error(`${method} took more than ${ms / 1000} s`));
        }, ms).unref();
      }
      signal?.addEventListener("abort", () => this.post({ method: "$/cancelRequest", params: { id } }), { once: true });
    });
  }

  // Call the server, which is started first where it has gone.
  async call(method: string, params: Json, signal?: AbortSignal, ms = 0): Promise<Json> {
    await this.ready();
    const result = await this.send(method, params, signal, ms);
    this.starts = Math.min(this.starts, 1); // it works: a later death is a new one
    return result;
  }

  // Tell a running server something; a dead one learns it from the next report.
  tell(method: string, params: Json): void {
    this.post({ method, params });
  }

  async close(): Promise<void> {
    const child = this.child;
    if (!child || this.closing) return;
    this.closing = true;
    await this.send("shutdown", null, undefined, 2_000).catch(() => undefined);
    this.post({ method: "exit" });
    child.stdin?.end();
    this.child = undefined;
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
