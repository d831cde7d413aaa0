// How a run looks in Pi: a status line, a widget with a line a node, a card for a message.

type Json = any;

const MARKS: Record<string, string> = {
  ok: "✓", running: "●", asked: "●", sleeping: "◷", failed: "✗",
  timed_out: "✗", cancelled: "⊘", ambiguous: "?", new: "·",
};
const ICONS: Record<string, string> = {
  queued: "◷", running: "▶", waiting: "⏸", paused: "⏸", completed: "✓",
  failed: "✗", timed_out: "✗", cancelled: "⊘", ambiguous: "?",
};
const LINES = 9;
const ENDED = ["completed", "failed", "timed_out", "cancelled"];

export function isOver(view: Json): boolean {
  return !view?.run || ENDED.includes(view.status);
}

export function statusLine(view: Json): string | undefined {
  if (!view?.run) return undefined;
  const at = view.node ? ` · ${view.node}` : "";
  const why = view.reason && view.status !== "running" ? ` (${view.reason})` : "";
  return `${ICONS[view.status] ?? ""} ${view.workflow} ${view.status}${why}${at} · step ${view.steps}`;
}

export function widgetLines(view: Json, theme?: Json): string[] | undefined {
  if (!view?.run) return undefined;
  const paint = (color: string, text: string) => (theme?.fg ? theme.fg(color, text) : text);
  const nodes: Json[] = view.nodes ?? [];
  const at = Math.max(0, nodes.findIndex((node) => node.node === view.node));
  const from = Math.max(0, Math.min(at - Math.floor(LINES / 2), nodes.length - LINES));
  const shown = nodes.slice(from, from + LINES);
  const width = Math.max(...shown.map((node) => node.node.length), 0);
  const lines: string[] = [];
  if (from > 0) lines.push(paint("dim", `  … ${from} above`));
  for (const node of shown) lines.push(nodeLine(node, node.node === view.node, width, view, paint));
  const below = nodes.length - from - shown.length;
  if (below > 0) lines.push(paint("dim", `  … ${below} below`));
  if (view.detail && view.status !== "running" && !isOver(view)) lines.push(paint("warning", `  ${oneLine(view.detail)}`));
  return lines;
}

function nodeLine(node: Json, active: boolean, width: number, view: Json, paint: (c: string, t: string) => string): string {
  const again = node.visits > 1 ? ` ×${node.visits}` : "";
  const doing = active ? `  ${progress(view.progress) || node.status || ""}` : "";
  const text = `  ${MARKS[node.state] ?? "·"} ${node.node.padEnd(width)}${again}${doing}`.trimEnd();
  if (active) return paint("accent", text);
  if (node.state === "ok") return paint("success", text);
  if (node.state === "failed" || node.state === "timed_out") return paint("error", text);
  return paint("dim", text);
}

function progress(made: Json): string {
  if (!made) return "";
  const of = made.total ? `/${made.total}` : "";
  const eta = made.eta ? `, ${Math.ceil(made.eta)} s left` : "";
  return `${made.completed}${of} ${made.unit}${eta} ${made.message}`.trim();
}

export function oneLine(text: string, most = 100): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

const TITLES: Record<string, string> = {
  step: "step", reminder: "reminder", resumed: "goes on", restated: "said again",
  fallback: "ended", notice: "note",
};

// The lines of a message's card: a head and the prompt's first words, or all of it.
export function cardLines(message: Json, expanded: boolean, theme: Json): string[] {
  const details = message.details ?? {};
  const text: string = typeof message.content === "string" ? message.content : (message.content ?? []).map((part: Json) => part.text ?? "").join("\n");
  const head = `◆ ${details.workflow ?? "segue"} · ${TITLES[details.kind] ?? details.kind ?? "note"}`;
  const step = details.step ? theme.fg("dim", ` · step ${details.step}`) : "";
  const title = theme.fg("accent", head) + step;
  if (expanded) return [title, ...text.split("\n")];
  return [title, theme.fg("muted", oneLine(promptOf(text), 160))];
}

// The author's own words: what stands between the guard and the contract.
function promptOf(text: string): string {
  const parts = text.split("\n\n");
  const from = parts.findIndex((part) => part.startsWith("Continue in this session"));
  return parts[from + 1] ?? text;
}
