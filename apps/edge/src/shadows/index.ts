// Shadows: requests that are repeated at a second model, on the budget of an experiment.
export { createShadows, SHADOW_BODY_BYTES, type ShadowPlace, type Shadows } from './shadows';
export type { ShadowSkip } from './skip';
