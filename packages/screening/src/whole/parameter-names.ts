// Which parameters of the clients' formats are one and the same. A rule about one name looks at all of them,
// so that another format is no way round it. A test compares the groups with the tables of docs/parameters.md.

/** Dotted paths, in snake case. A path below a member counts too: `response_format.type`, `text.format.type`. */
export const SAME_PARAMETERS: readonly (readonly string[])[] = [
  [
    'max_tokens',
    'max_completion_tokens',
    'max_output_tokens',
    'generation_config.max_output_tokens',
  ],
  ['temperature', 'generation_config.temperature'],
  ['top_p', 'generation_config.top_p'],
  ['top_k', 'generation_config.top_k'],
  ['stop', 'stop_sequences', 'generation_config.stop_sequences'],
  ['seed', 'generation_config.seed'],
  ['presence_penalty', 'generation_config.presence_penalty'],
  ['frequency_penalty', 'generation_config.frequency_penalty'],
  ['n', 'generation_config.candidate_count'],
  ['logprobs', 'generation_config.response_logprobs'],
  ['top_logprobs', 'generation_config.logprobs'],
  ['tools', 'functions', 'tools.function_declarations'],
  ['tools.name', 'tools.function.name', 'functions.name', 'tools.function_declarations.name'],
  ['tool_choice', 'function_call', 'tool_config'],
  ['metadata', 'labels'],
  ['user', 'safety_identifier', 'metadata.user_id'],
  ['verbosity', 'text.verbosity'],
  [
    'reasoning_effort',
    'reasoning.effort',
    'output_config.effort',
    'generation_config.thinking_config.thinking_level',
  ],
  ['thinking', 'generation_config.thinking_config'],
  ['audio', 'generation_config.speech_config'],
  ['thinking.budget_tokens', 'generation_config.thinking_config.thinking_budget'],
  [
    'response_format',
    'text.format',
    'output_config.format',
    'generation_config.response_mime_type',
  ],
  ['modalities', 'generation_config.response_modalities'],
  ['messages', 'input', 'contents'],
  ['dimensions', 'output_dimensionality', 'requests.output_dimensionality'],
  ['instructions', 'system', 'system_instruction'],
];

/** `generationConfig.topP` is `generation_config.top_p`: the vendor takes either spelling. */
export function snakeName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Every path that a rule about this one looks at, its own first. */
export function samePaths(path: string): readonly string[] {
  const own = snakeName(path);
  const all = new Set([own]);
  for (const group of SAME_PARAMETERS) {
    for (const member of group) {
      const rest = restBelow(own, member);
      if (rest !== undefined) for (const other of group) all.add(other + rest);
    }
  }
  return [...all];
}

/** What follows the member in the path; undefined: the path is not below it. */
function restBelow(path: string, member: string): string | undefined {
  if (path === member) return '';
  return path.startsWith(`${member}.`) ? path.slice(member.length) : undefined;
}
