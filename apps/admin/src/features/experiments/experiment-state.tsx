'use client';

import type { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { Badge } from '../../design/badge';
import { stateOf } from './experiment-draft';

export function ExperimentState({ experiment }: { readonly experiment: rest.Experiment }) {
  const [nowMs] = useState(() => Date.now());
  const state = stateOf(experiment, nowMs);
  return state === 'Running' ? <Badge tone="good">{state}</Badge> : <Badge>{state}</Badge>;
}
