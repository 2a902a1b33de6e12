// Copies the protos beside the built code: a deployed package has no workspace around it.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const target = join(import.meta.dirname, '../dist/protos');
rmSync(target, { recursive: true, force: true });
cpSync(join(import.meta.dirname, '../../../protos'), target, { recursive: true });
