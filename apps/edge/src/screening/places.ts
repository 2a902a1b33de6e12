// What a text of an answer is, by the names of the fields that lead to it.

/** Fields whose texts a model wrote for a tool, as JSON or as an object. */
const ARGUMENTS: ReadonlySet<string> = new Set([
  'arguments',
  'args',
  'functionCall',
  'input',
  'partial_json',
]);

/** `path`: the names from the document to the text. */
export function placeOf(path: readonly string[]): 'OUTPUT' | 'TOOL_ARGUMENTS' {
  return path.some((name) => ARGUMENTS.has(name)) ? 'TOOL_ARGUMENTS' : 'OUTPUT';
}

/** Whether a text is JSON itself, which a model wrote for a tool. */
export function isJsonText(path: readonly string[]): boolean {
  const last = path.at(-1);
  return last === 'arguments' || last === 'partial_json';
}
