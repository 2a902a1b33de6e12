/**
 * Alerts: rules are evaluated in the background, an alert is raised once, and its messages are
 * delivered at least once. What administrators change and read is in `resources/alerts`.
 */
export { attempt, takeOne, type DeliveryDeps } from './deliver';
export { replaceEndUserInAlerts } from './forget-end-user';
export { alertFieldsOf } from './message';
export { DELIVERY_LIFE_MS } from './raise';
export { startAlerts, type AlertsDeps } from './start';
