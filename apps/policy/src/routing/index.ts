// Chooses the candidates of a routed request and their order, and records the attempts that edges
// report. Access to models is in ../decide, shared state (breakers, cooldowns, turns) in ../store.
export { routingFor } from './applies';
export { type Choice, type Choose, whileChosen } from './choose';
export { type RoutingMetrics, createRouting } from './create';
export { listedPolicy } from './listing';
export type { Reports } from './reports';
export type { GiveBacks } from './give-backs';
