// setpriv (util-linux) starts the commands of children: they gain no privileges by programs with a
// set-user-id bit, and the kernel kills them when the runner dies.
import { spawnSync } from 'node:child_process';

const PLACES = ['/usr/bin/setpriv', '/bin/setpriv'];
const OPTIONS = [['--no-new-privs', '--pdeathsig', 'KILL'], ['--no-new-privs']];

/** A program with its options, to be followed by a command; empty: this machine has none. */
export function findSetpriv(): readonly string[] {
  const forms = PLACES.flatMap((place) => OPTIONS.map((options) => [place, ...options, '--']));
  return forms.find(works) ?? [];
}

function works([program = '', ...options]: readonly string[]): boolean {
  return spawnSync(program, [...options, 'true'], { stdio: 'ignore' }).status === 0;
}
