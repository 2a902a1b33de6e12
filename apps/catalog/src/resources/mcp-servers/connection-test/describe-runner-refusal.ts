import { type rest, type RunnerRefusal } from '@tollgate/contracts';

import { sayingOf } from '../../providers/upstream/failures';
import type { Problem } from './bounded-fetch';

/** Says why the runner refused a connection test, and who can mend it. */

interface Row {
  readonly message: string;
  /** Absent: the stage that the test had reached. */
  readonly stage?: rest.McpTestStage;
}

const NOT_A_RUNNER: Row = {
  stage: 'RUNNER',
  message:
    'The runner does not know the request of the catalog. An operator has to check RUNNER_URL, and that both have the same version.',
};

const ROWS: Readonly<Record<RunnerRefusal, Row>> = {
  catalog_unavailable: {
    stage: 'RUNNER',
    message:
      'The runner gets no answer from the catalog. An operator has to check its CATALOG_GRPC_ADDRESS and INTERNAL_TOKEN.',
  },
  invalid_request: NOT_A_RUNNER,
  method_not_allowed: NOT_A_RUNNER,
  not_found: NOT_A_RUNNER,
  server_busy: { message: 'The server takes no more requests. Try again in a moment.' },
  server_ended: { message: 'The server ended its process or its connection.' },
  server_refused: { message: "The runner cannot use this server's settings. Correct them." },
  server_silent: { message: 'The server did not answer in time.' },
  session_not_found: { message: 'The session ended during the test. Try again.' },
  too_many_sessions: {
    stage: 'RUNNER',
    message: 'The runner has no free session for the test. Try again in a moment.',
  },
  unauthorized: {
    stage: 'RUNNER',
    message:
      "The runner does not accept the catalog's token. An operator has to check INTERNAL_TOKENS of the runner.",
  },
};

/** Undefined: the problem is not a refusal of the runner itself. */
export function describeRunnerRefusal(problem: Problem | undefined): Row | undefined {
  if (problem?.kind !== 'refused' || problem.runnerRefusal === null) return undefined;
  const row = Object.hasOwn(ROWS, problem.runnerRefusal)
    ? ROWS[problem.runnerRefusal as RunnerRefusal]
    : NOT_A_RUNNER;
  const said = sayingOf(problem.text, null);
  return said === '' ? row : { ...row, message: `${row.message} The runner says: ${said}` };
}
