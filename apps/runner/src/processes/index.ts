// Child processes: starting, limiting and ending them with all of their descendants, and making sure
// that none survives the runner. What they say is read by ../channels.
export { createChildUsers } from './child-users';
export { launch, type Child, type Launch, type LaunchDeps } from './launch';
export { createKiller, type Killer } from './killer';
export { createLeftovers } from './leftovers';
export { prepareUsers, type PreparedUsers, type PrepareOptions } from './prepare-users';
export { findSetpriv } from './setpriv';
export { createStartPauses, type StartPauses } from './start-pauses';
export { createUsageWatch, type UsageWatch } from './usage-watch';
export { createWatchdog, type Watchdog } from './watchdog';
