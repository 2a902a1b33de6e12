// Which of a routing policy's candidates a request tries, and in which order; what becomes known of
// their upstreams by the attempts that edges report. Who may use a model at all is in ../decide, the
// shared state (breakers, cooldowns, turns) is in ../store.
export { routingFor } from './applies';
export { type Choice, type Choose, whileChosen } from './choose';
export { type RoutingMetrics, createRouting } from './create';
export { listedPolicy } from './listing';
export type { Reports } from './reports';
export type { GiveBacks } from './give-backs';
