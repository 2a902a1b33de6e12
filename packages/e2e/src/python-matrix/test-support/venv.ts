// The Python of SDKs and frameworks: a virtual environment with exactly the pinned requirements,
// created once per state of requirements.txt and cached beside the installed packages.

import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(__dirname, '../../../node_modules/.cache/tollgate-python');
const INSTALL_TIMEOUT_MS = 300_000;

/**
 * Whether a Python that can create environments is available; REQUIRE_REAL makes its absence an
 * error.
 */
export function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import ensurepip, sys; assert sys.version_info >= (3, 11)'], {
      stdio: 'ignore',
    });
    return true;
  } catch (error) {
    if (process.env['REQUIRE_REAL'] === '1') throw error;
    return false;
  }
}

/** The interpreter of an environment with the given requirements, created on demand. */
export async function pythonWith(requirements: string): Promise<string> {
  const { stdout: version } = await run('python3', ['-VV']);
  const state = createHash('sha256')
    .update(version)
    .update(await readFile(requirements));
  const home = join(CACHE, state.digest('hex').slice(0, 16));
  const python = join(home, 'bin/python');
  const complete = join(home, 'complete');
  if (existsSync(complete)) return python;
  // An incomplete environment is recreated.
  await rm(home, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', home]);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const pinned = ['--no-deps', '--require-hashes', '--only-binary', ':all:', '-r', requirements];
  await run(python, [...install, ...pinned], { timeout: INSTALL_TIMEOUT_MS });
  await writeFile(complete, version);
  return python;
}
