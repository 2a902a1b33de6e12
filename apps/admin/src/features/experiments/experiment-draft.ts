import {
  EXPERIMENT_ARMS_MAX,
  EXPERIMENT_STATUSES,
  type ExperimentStatus,
  type rest,
} from '@tollgate/contracts';
import type { z } from 'zod';

import { numberOrNull, textOrNull } from '../../resource/typed';

// The draft of an experiment: form state and request bodies. Pure.

export interface ArmDraft {
  readonly name: string;
  readonly modelId: string | undefined;
  /** As typed, in per cent. */
  readonly share: string;
}

export interface ShadowDraft {
  /** Undefined: there is no shadow. */
  readonly modelId: string | undefined;
  /** As typed, in per cent. */
  readonly samplePercent: string;
  /** As typed. */
  readonly dailyUsd: string;
}

export interface ExperimentDraft {
  readonly name: string;
  readonly model: string;
  readonly arms: readonly ArmDraft[];
  readonly shadow: ShadowDraft;
  readonly status: ExperimentStatus;
  /** Instants; empty: none. */
  readonly startsAt: string;
  readonly endsAt: string;
}

export const MAX_ARMS = EXPERIMENT_ARMS_MAX;
export const NEW_ARM: ArmDraft = { name: '', modelId: undefined, share: '' };
const NO_SHADOW: ShadowDraft = { modelId: undefined, samplePercent: '5', dailyUsd: '' };
export const NEW_EXPERIMENT: ExperimentDraft = {
  name: '',
  model: '',
  arms: [
    { name: 'control', modelId: undefined, share: '90' },
    { name: 'candidate', modelId: undefined, share: '10' },
  ],
  shadow: NO_SHADOW,
  status: 'ACTIVE',
  startsAt: '',
  endsAt: '',
};

export const STATUS_CHOICES = EXPERIMENT_STATUSES.map((value) => ({
  value,
  label: value === 'ACTIVE' ? 'Active' : 'Paused',
}));

export function experimentDraftOf(experiment: rest.Experiment): ExperimentDraft {
  const { name, model, arms, shadow, status, startsAt, endsAt } = experiment;
  return {
    name,
    model,
    arms: arms.map((arm) => ({ ...arm, share: String(arm.share) })),
    shadow:
      shadow === null ? NO_SHADOW : { ...shadow, samplePercent: String(shadow.samplePercent) },
    status,
    startsAt: startsAt ?? '',
    endsAt: endsAt ?? '',
  };
}

/** The name that is split never changes, so that only a new experiment sends it. */
export function experimentBodyOf(
  draft: ExperimentDraft,
): Omit<z.input<typeof rest.experimentCreate>, 'model'> {
  return {
    name: draft.name.trim(),
    // An arm without a model is sent, so that the server's error names its field.
    arms: draft.arms.map(({ name, modelId = '', share }) => ({
      name: name.trim(),
      modelId,
      share: numberOrNull(share) ?? Number.NaN,
    })),
    shadow: shadowOf(draft.shadow),
    status: draft.status,
    startsAt: textOrNull(draft.startsAt),
    endsAt: textOrNull(draft.endsAt),
  };
}

function shadowOf({ modelId, samplePercent, dailyUsd }: ShadowDraft) {
  if (modelId === undefined) return null;
  const percent = numberOrNull(samplePercent) ?? Number.NaN;
  return { modelId, samplePercent: percent, dailyUsd: dailyUsd.trim() };
}

/** What an experiment does at an instant. */
export function stateOf(
  { endsAt, startsAt, status }: Pick<rest.Experiment, 'endsAt' | 'startsAt' | 'status'>,
  nowMs: number,
): 'Running' | 'Paused' | 'Planned' | 'Ended' {
  if (endsAt !== null && Date.parse(endsAt) <= nowMs) return 'Ended';
  if (status === 'PAUSED') return 'Paused';
  return startsAt !== null && Date.parse(startsAt) > nowMs ? 'Planned' : 'Running';
}
