/** A duration without zero parts: "2 min", "1.5 s", "250 ms". */
export function waitWords(ms: number): string {
  if (ms < 1_000) return `${String(ms)} ms`;
  return ms % 60_000 === 0 ? `${String(ms / 60_000)} min` : `${String(ms / 1_000)} s`;
}
