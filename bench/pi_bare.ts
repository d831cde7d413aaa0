// The least an extension can do to put six fixed messages into a conversation one after another:
// no server, no run, no state on disk. `bench/pi.py` measures Segue beside it.

const STEPS = 6;

export default function bare(pi: any): void {
  let sent = 0;
  const send = () => {
    sent += 1;
    pi.sendMessage(
      { customType: "bare", content: `STEP ${sent} of a list that was fixed before`, display: true },
      { triggerTurn: true, deliverAs: "followUp" },
    );
  };
  pi.registerCommand("bare", {
    description: "send six messages",
    handler: async () => {
      sent = 0;
      send();
    },
  });
  pi.registerTool({
    name: "bare",
    label: "Bare",
    description: "take an answer",
    parameters: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
    async execute() {
      return { content: [{ type: "text", text: "Accepted." }], details: {} };
    },
  });
  pi.on("agent_end", async () => {
    if (sent > 0 && sent < STEPS) send();
  });
}
