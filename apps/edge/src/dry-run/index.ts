// What would be decided, held and chosen, without a call: the header, the rate of the question, and the
// answer, which is the same for every format (its words: describeDecision of the contracts). ../pipeline and ../mcp ask; policy decides.

export { type DryRuns, createDryRuns } from './dry-runs';
export { checkDryRun, namesDryRun } from './header';
export { sendDryRun } from './send';
