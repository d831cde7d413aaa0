// Segue in Pi: thin glue without workflow logic. It carries events, commands, tool calls and
// dialogs between this conversation and `segue lsp`, and shows what that says of the run.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Conversation, NOTICE, TYPE } from "./conversation.ts";
import { Gone, Server } from "./rpc.ts";
import { cardLines, isOver, oneLine, statusLine, widgetLines } from "./shown.ts";

type Json = any;

const HOST = "pi";
const PROTOCOL = 1;
const TURN_END_MS = 60_000;
const HERE = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));
const read = (file: string): Json => JSON.parse(readFileSync(join(HERE, file), "utf8"));
const argv: string[] = read("segue.json").command;
const tool: Json = read("tool.json");
// One running Pi is one instance: a restarted server of it just goes on (T11).
const INSTANCE = `pi-${process.pid}-${randomUUID()}`;

export default function segue(pi: Json): void {
  const conversation = new Conversation(pi);
  let ctx: Json;
  let server: Server | undefined;
  let view: Json;
  let why: Json = { reason: "startup" };
  let ended = ""; // how the run under way ended, once that was told
  let stopped = false; // a person has stopped it after that, with our next message on its way

  const session = () => ({ host: HOST, id: conversation.sessionId(ctx) });
  const mine = (params: Json) => {
    if (!ctx || params.session?.id !== conversation.sessionId(ctx)) throw new Error("another session is open here");
  };

  const handlers: Record<string, (params: Json, signal: AbortSignal) => Json> = {
    "segue/offer": (params) => (mine(params), { taken: conversation.take(ctx, params) }),
    "segue/conversation": (params) => (mine(params), conversation.report(ctx)),
    "segue/abort": (params) => (mine(params), ctx.abort(), {}),
    "segue/changed": (params) => (mine(params), changed(params.view)),
    "segue/ask": (params, signal) => ask(params, signal),
  };

  type Call = (method: string, params: Json) => Promise<Json>;

  async function attach(call: Call): Promise<void> {
    const made = await call("segue/attach", {
      protocol: PROTOCOL,
      host: HOST,
      hostVersion: why.version ?? "",
      session: conversation.sessionId(ctx),
      instance: INSTANCE,
      cwd: ctx.cwd,
      reason: why.reason,
      trusted: typeof ctx.isProjectTrusted === "function" ? Boolean(ctx.isProjectTrusted()) : false,
      patience: 20,
      forkedFrom: why.reason === "fork" ? (why.previousSessionFile ?? null) : null,
      capabilities: {
        doors: ["push", "at_stop"], evidence: "entry",
        wake: true, abort: true, replyText: true, seesAbort: true,
      },
    });
    changed(made.view);
    for (const text of made.notices ?? []) ctx.ui.notify(text, "info");
  }

  // A run under way would stand still if nothing else happened in this conversation.
  function lost(): void {
    if (server && !isOver(view)) server.ready().catch((error: Error) => say(error.message, "error"));
  }

  function changed(next: Json): void {
    view = next?.run ? next : undefined;
    if (!ctx?.hasUI) return;
    ctx.ui.setStatus("segue", statusLine(view));
    ctx.ui.setWidget("segue", widgetLines(view, ctx.mode === "tui" ? ctx.ui.theme : undefined));
  }

  // A question to the person in Pi's own dialogs; the server takes it back when it is settled.
  async function ask(params: Json, signal: AbortSignal): Promise<Json> {
    const options = { signal };
    const title = [params.title, oneLine(params.text ?? "", 300)].filter(Boolean).join("\n");
    if (params.kind === "text") return answered(await ctx.ui.input(title, "", options));
    const choice = await ctx.ui.select(title, params.choices, options);
    if (choice === undefined) return null;
    if (!(params.wantsText ?? []).includes(choice)) return { choice };
    return answered(await ctx.ui.input(`${choice}: what exactly?`, "", options), choice);
  }

  const answered = (text: string | undefined, choice?: string) => (text === undefined ? null : { choice, text });

  async function command(text: string): Promise<void> {
    try {
      const made = await server!.call("segue/command", { session: session(), text, id: randomUUID() });
      if (made.text) say(made.text, "info");
      for (const notice of made.notices ?? []) say(notice, "info");
    } catch (error) {
      say((error as Error).message, "error");
    }
  }

  function say(text: string, level: string): void {
    if (ctx.hasUI) ctx.ui.notify(text, level);
    else process.stderr.write(`${text}\n`);
  }

  pi.on("session_start", async (event: Json, context: Json) => {
    ctx = context;
    why = event;
    if (server) {
      if (server.alive) await attach((method, params) => server!.call(method, params)).catch((error: Error) => say(error.message, "error"));
      return; // some versions say it twice
    }
    server = new Server(
      argv,
      () => ({
        processId: process.pid,
        rootUri: null,
        capabilities: {},
        clientInfo: { name: "pi" },
        initializationOptions: { segue: { protocol: PROTOCOL, ask: ctx.hasUI } },
      }),
      handlers,
      attach,
      lost,
    );
    // Not awaited: Pi is there at once, and whoever needs the server waits for it.
    server.ready().catch((error: Error) => say(error.message, "error"));
  });

  // The skills that were installed beside this file.
  pi.on("resources_discover", () => ({ skillPaths: [join(HERE, "skills")] }));

  pi.on("session_shutdown", async () => {
    const closing = server;
    server = undefined;
    if (closing?.alive) await closing.call("segue/detach", { session: session() }, undefined, 2_000).catch(() => undefined);
    await closing?.close();
  });

  pi.on("input", (event: Json, context: Json) => {
    ctx = context;
    if (event.source === "extension" || String(event.text ?? "").startsWith("/")) return;
    conversation.userInput(() => server?.tell("segue/report", { session: session(), ...conversation.report(ctx) }));
  });

  pi.on("before_agent_start", (_event: Json, context: Json) => {
    ctx = context;
    conversation.turnComes();
  });

  pi.on("agent_start", (_event: Json, context: Json) => {
    ctx = context;
    ended = "";
    conversation.turnBegan();
    if (stopped) context.abort(); // some versions run what was queued when the person stopped them
  });

  pi.on("message_end", (event: Json, context: Json) => {
    ctx = context;
    const { role, customType, details } = event.message;
    if (role === "user") {
      conversation.turnBegan();
      server?.tell("segue/turnStarted", { session: session(), cause: "user" });
    }
    if (role !== "custom" || customType !== TYPE || !details?.id) return;
    conversation.seen(details.id);
    if (details.kind === "notice") server?.tell("segue/seen", { session: session(), message: details.id });
    else server?.tell("segue/turnStarted", { session: session(), cause: details.id });
  });

  // Awaited by Pi: a message sent in here joins the run that is ending.
  pi.on("agent_end", async (event: Json, context: Json) => {
    ctx = context;
    const last = lastAssistant(event.messages);
    const aborted = Boolean(context.signal?.aborted) || last?.stopReason === "aborted";
    if (!aborted && last?.stopReason === "error") return; // Pi may try again: `agent_settled` tells
    // From here to the next turn an abort reaches neither: it is heard of here alone.
    context.signal?.addEventListener("abort", () => (stopped = true), { once: true });
    await turnEnded(aborted ? "aborted" : "completed", last, !aborted);
  });

  pi.on("agent_settled", async (event: Json, context: Json) => {
    ctx = context;
    conversation.settled(context);
    const late = ended === "completed" && (stopped || event.aborted);
    stopped = false;
    if (late) {
      ended = "";
      await turnEnded("aborted", lastOnBranch(), false);
    } else if (ended) {
      await server?.ready().catch(() => undefined); // one that just starts would not hear it
      server?.tell("segue/report", { session: session(), ...conversation.report(ctx) });
    }
    else await turnEnded(event.aborted ? "aborted" : "failed", lastOnBranch(), false);
  });

  async function turnEnded(outcome: string, last: Json, join: boolean): Promise<void> {
    if (ended || !server) return;
    ended = outcome;
    const id = conversation.sessionId(ctx);
    const told = { session: session(), outcome, text: textOf(last), error: last?.errorMessage ?? "", id: randomUUID() };
    const tell = () => server?.call("segue/turnEnded", told, undefined, TURN_END_MS);
    // A server that dies over it has not heard it, or its answer is lost: the next one is told.
    const made = await tell()?.catch((error: Error) => (error instanceof Gone ? tell() : undefined))?.catch(() => undefined);
    for (const notice of made?.notices ?? []) say(notice, "info");
    if (!made?.message || !join || conversation.sessionId(ctx) !== id) return;
    if (!ctx.signal?.aborted) conversation.join(ctx, made.message);
  }

  const lastAssistant = (messages: Json[] | undefined) => (messages ?? []).findLast((message) => message.role === "assistant");
  const lastOnBranch = () => lastAssistant(ctx.sessionManager.getBranch().filter((entry: Json) => entry.type === "message").map((entry: Json) => entry.message));
  const textOf = (message: Json): string =>
    typeof message?.content === "string" ? message.content : (message?.content ?? []).filter((part: Json) => part.type === "text").map((part: Json) => part.text).join("\n");

  pi.on("session_compact", (event: Json, context: Json) => {
    ctx = context;
    server?.tell("segue/compacted", { session: session(), event: event.compactionEntry?.id ?? randomUUID() });
  });

  pi.on("session_tree", (_event: Json, context: Json) => {
    ctx = context;
    server?.tell("segue/branchMoved", { session: session(), report: conversation.report(ctx) });
  });

  pi.registerCommand("workflow", {
    description: "Run a workflow in this conversation; alone it lists them",
    getArgumentCompletions: async (prefix: string) => {
      if (!server?.alive || !ctx) return null;
      const made = await server.call("segue/complete", { session: session(), text: prefix }, undefined, 1_000).catch(() => null);
      return made?.items ?? null;
    },
    handler: async (args: string, context: Json) => {
      ctx = context;
      if (!server) return say("Segue is not running in this session; restart Pi", "error");
      await command(args);
      if (!context.hasUI) await untilDone(context); // print and json modes end when handlers return
    },
  });

  async function untilDone(context: Json): Promise<void> {
    for (;;) {
      await context.waitForIdle();
      // Asked for, not remembered: what was told of the run may still be on its way.
      const now = await server?.call("segue/status", { session: session() }).catch(() => undefined);
      if (conversation.idle(context) && !["queued", "running"].includes(now?.status)) return;
      await new Promise((done) => setTimeout(done, 25));
    }
  }

  pi.registerTool({
    name: tool.name,
    label: "Workflow",
    description: tool.description,
    parameters: tool.schema,
    executionMode: "sequential",
    async execute(id: string, params: Json, signal: AbortSignal, _update: Json, context: Json) {
      ctx = context;
      if (!server) throw new Error("Segue is not running in this session");
      const made = await server.call("segue/tool", { session: session(), arguments: params, id }, signal);
      return { content: [{ type: "text", text: made.text }], details: { ok: made.ok, ...made.data } };
    },
  });

  pi.registerMessageRenderer?.(TYPE, (message: Json, options: Json, theme: Json) => lines(cardLines(message, options.expanded, theme)));
  pi.registerEntryRenderer?.(NOTICE, (entry: Json, _options: Json, theme: Json) =>
    lines(cardLines({ content: entry.data?.text ?? "", details: { kind: "notice" } }, true, theme)),
  );
}

// A component of plain lines, cut to the width by Pi's own wrapping rules.
function lines(text: string[]): Json {
  return { render: (width: number) => text.flatMap((line) => wrap(line, width)), invalidate() {} };
}

function wrap(line: string, width: number): string[] {
  const plain = line.replace(/\x1b\[[0-9;]*m/g, "");
  if (plain.length <= width) return [line];
  const made: string[] = [];
  for (let at = 0; at < plain.length; at += width) made.push(plain.slice(at, at + width));
  return made;
}
