// A second extension beside Segue's, as a person may have: it stands where the tests need it.
// Every wait is a dialog of its own, which the test answers.

export default function helper(pi: any): void {
  const hold = (ctx: any, title: string) => ctx.ui.confirm(title, "go on?");

  // A prompt that takes long before the model gets it (pitfall 3), and one that never reaches it.
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    if (String(event.prompt).includes("SLOW")) await hold(ctx, "before the model");
  });
  pi.on("input", (event: any) => (String(event.text).includes("HANDLED") ? { action: "handled" } : undefined));

  // Hold the end of a run whose model said HOLD, after Segue has queued its next message (pitfall 2).
  pi.on("agent_end", async (event: any, ctx: any) => {
    const last = event.messages.findLast((message: any) => message.role === "assistant");
    if (JSON.stringify(last?.content ?? "").includes("HOLD")) await hold(ctx, "at the end");
  });

  // Leave the branch, as a person does in the tree (pitfall 7); rpc mode has no command for it.
  pi.registerCommand("leave", {
    description: "go back to the first message",
    handler: async (_args: string, ctx: any) => {
      const first = ctx.sessionManager.getBranch().find((entry: any) => entry.type === "message" && entry.message.role === "assistant");
      await ctx.navigateTree(first.id, { summarize: false });
      ctx.ui.notify("left", "info");
    },
  });
}
