import { isErrorCode } from '@tollgate/contracts';

import { ADVICE, type NextStep } from '../../errors/advice';

// What somebody at the playground does about a refusal.

/** Codes that are not the gateway's: those of the console's own server, and of the page itself. */
const OF_CONSOLE: Readonly<Record<string, NextStep>> = {
  validation_failed: { words: 'Change the settings or the message as described.' },
  payload_too_large: {
    words:
      'Use fewer or smaller pictures, or clear the conversation. The whole conversation is sent each time.',
  },
  unauthenticated: { words: 'Your session has ended. Reload the page and sign in.' },
  forbidden: { words: 'Your role may not use the playground here.' },
  unreachable: { words: 'Check your connection, then send it again.' },
  rpc_error: {
    words: 'The MCP server refused the request. Compare the arguments with the tool’s description.',
  },
  answer_too_large: { words: 'Ask the tool for less. Applications may receive larger answers.' },
  timeout: { words: 'Send it again, or call the tool from an application, which can wait longer.' },
  input_required: { words: 'Call the tool from an application that can ask its user.' },
  incomplete: { words: 'Send it again. Tokens generated so far are charged.' },
};

/** Undefined for codes whose message says everything. */
export function stepHere(code: string): NextStep | undefined {
  if (!isErrorCode(code)) return Object.hasOwn(OF_CONSOLE, code) ? OF_CONSOLE[code] : undefined;
  const { ofKey, inPlayground } = ADVICE[code];
  return inPlayground ?? ofKey ?? undefined;
}
