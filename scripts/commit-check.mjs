#!/usr/bin/env node
// Checks the commits after BASE: a conventional subject of at most 72 characters, and a body that says
// why. Merge commits are skipped. Where BASE is not in the history (a shallow clone, a tarball) there is
// nothing to check.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const BASE = '81e2f717c394f4f987804aef608d82d19a402994';
const MAX_SUBJECT = 72;
/** git exceeds the default of 1 MiB on a long history. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const TYPES = ['feat', 'fix', 'perf', 'refactor', 'test', 'docs', 'build', 'ci', 'chore'];
const CONVENTIONAL = new RegExp(`^(${TYPES.join('|')})(\\([a-z0-9,/-]+\\))?!?: \\S`);

/** Control characters separate fields and commits, because no message contains them. */
const FIELD = '\x1f';
const COMMIT = '\x1e';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

// A test sets its own repository and base.
main(process.argv[2] ?? root, process.argv[3] ?? BASE);

function main(folder, base) {
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES };
  const git = (...args) => spawnSync('git', args, options);
  if (git('merge-base', '--is-ancestor', base, 'HEAD').status !== 0) return;

  const format = `--format=%h${FIELD}%s${FIELD}%b${COMMIT}`;
  const log = git('log', '--no-merges', format, `${base}..HEAD`);
  if (log.status !== 0) throw log.error ?? new Error(log.stderr);

  const offenders = log.stdout.split(COMMIT).flatMap((entry) => {
    const [hash, subject, body] = entry.trimStart().split(FIELD);
    if (hash === '' || subject === undefined) return [];
    return faultsOf(subject, body ?? '').map((fault) => `${hash} ${subject}\n    ${fault}`);
  });
  if (offenders.length === 0) return;
  process.stderr.write(`${offenders.join('\n')}\n`);
  process.exitCode = 1;
}

function faultsOf(subject, body) {
  const faults = [];
  if (!CONVENTIONAL.test(subject)) {
    faults.push(`the subject is not "type(scope): what"; the types are ${TYPES.join(' ')}`);
  }
  if (subject.length > MAX_SUBJECT) {
    faults.push(`the subject has ${subject.length} characters, at most ${MAX_SUBJECT} are allowed`);
  }
  if (body.trim() === '') faults.push('the body is empty: say why');
  return faults;
}
