// What Pi's conversation says about Segue's messages, and how one gets into it.
//
// A message is queued from the moment it is handed to Pi until its entry is seen; Pi itself does
// not show queued custom messages. Nothing is awaited between the last look and the send.

type Json = any;

export const TYPE = "segue";
export const NOTICE = "segue-notice";

const NO_TURN_MS = 5_000;

export class Conversation {
  private queued = new Set<string>();
  private userIsComing = false;
  private waiting: NodeJS.Timeout | undefined;

  constructor(private pi: Json) {}

  sessionId(ctx: Json): string {
    return ctx.sessionManager.getSessionId();
  }

  // Ids of our messages on the current branch.
  entries(ctx: Json): string[] {
    const found: string[] = [];
    for (const entry of ctx.sessionManager.getBranch()) {
      if (entry.type === "custom_message" && entry.customType === TYPE && entry.details?.id) found.push(entry.details.id);
      if (entry.type === "custom" && entry.customType === NOTICE && entry.data?.id) found.push(entry.data.id);
    }
    return found;
  }

  report(ctx: Json): Json {
    const entries = this.entries(ctx);
    for (const id of entries) this.queued.delete(id);
    return { entries, queued: [...this.queued], idle: this.idle(ctx), full: true };
  }

  idle(ctx: Json): boolean {
    return ctx.isIdle() && !ctx.hasPendingMessages() && !this.userIsComing;
  }

  // A person's prompt is on its way: an injection now would overtake it, or lose it.
  // Another extension may take it, and no turn follows: then Pi says nothing more of it.
  userInput(free: () => void): void {
    this.turnComes();
    this.waiting = setTimeout(() => {
      this.turnBegan();
      free();
    }, NO_TURN_MS);
    this.waiting.unref();
  }

  // It is a turn for sure, however long it takes to begin.
  turnComes(): void {
    clearTimeout(this.waiting);
    this.userIsComing = true;
  }

  turnBegan(): void {
    clearTimeout(this.waiting);
    this.userIsComing = false;
  }

  // Put an offered message there if the session is idle; synchronous on purpose.
  take(ctx: Json, offer: Json): "seen" | "taken" | "busy" {
    if (this.entries(ctx).includes(offer.id)) return "seen";
    if (this.queued.has(offer.id)) return "taken";
    if (!this.idle(ctx)) return "busy";
    if (!offer.startsTurn) return this.notice(offer);
    this.send(offer);
    return "taken";
  }

  // Put a message there from inside the awaited end of a run: it joins that run.
  join(ctx: Json, offer: Json): void {
    if (this.entries(ctx).includes(offer.id) || this.queued.has(offer.id)) return;
    this.send(offer);
  }

  private send(offer: Json): void {
    this.queued.add(offer.id);
    const details = { id: offer.id, ...offer.details };
    this.pi.sendMessage(
      { customType: TYPE, content: offer.text, display: true, details },
      { triggerTurn: true, deliverAs: "followUp" },
    );
  }

  private notice(offer: Json): "seen" | "taken" {
    if (typeof this.pi.registerEntryRenderer === "function") {
      this.pi.appendEntry(NOTICE, { id: offer.id, text: offer.text });
      return "seen";
    }
    const details = { id: offer.id, kind: "notice" };
    this.pi.sendMessage({ customType: TYPE, content: offer.text, display: true, details }, {});
    return "taken";
  }

  seen(id: string): void {
    this.queued.delete(id);
  }

  // A run has settled with nothing pending: what Pi still has not shown, it has dropped.
  settled(ctx: Json): void {
    this.turnBegan();
    if (ctx.isIdle() && !ctx.hasPendingMessages()) this.queued.clear();
  }
}
