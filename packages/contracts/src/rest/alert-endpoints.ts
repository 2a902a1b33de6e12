import { z } from 'zod';

import { ALERT_KINDS } from '../alerts';
import {
  alertRule,
  alertRuleCreate,
  alertRulePatch,
  alertRules,
  recommendedAlertRules,
} from './alert-rules';
import {
  alert,
  alertDelivery,
  alertDestination,
  alertDestinationCreate,
  alertDestinationPatch,
  alertDestinations,
  alertDestinationSecret,
  alertDetail,
  alerts,
  alertsSeen,
  alertTestResult,
} from './alerts';
import { endpoint } from './endpoint';
import { listQuery } from './fields';

const tag = 'Alerts';
const root = '/api/organisations/:organisationId';

export const alertFilters = {
  kind: z.enum(ALERT_KINDS).optional(),
  seen: z.enum(['true', 'false']).optional(),
};

export const listAlertDestinations = endpoint({
  id: 'listAlertDestinations',
  tag,
  summary: 'Destinations of alerts',
  method: 'GET',
  path: `${root}/alert-destinations`,
  access: 'alerts.read',
  query: listQuery(['createdAt', 'name'], {}),
  response: alertDestinations,
});

export const createAlertDestination = endpoint({
  id: 'createAlertDestination',
  tag,
  summary: 'Add a destination of alerts; the signing secret is shown once',
  method: 'POST',
  path: `${root}/alert-destinations`,
  access: 'alerts.write',
  body: alertDestinationCreate,
  response: alertDestinationSecret,
  status: 201,
  secret: true,
});

export const getAlertDestination = endpoint({
  id: 'getAlertDestination',
  tag,
  summary: 'One destination of alerts',
  method: 'GET',
  path: `${root}/alert-destinations/:alertDestinationId`,
  access: 'alerts.read',
  response: alertDestination,
  etag: true,
});

export const updateAlertDestination = endpoint({
  id: 'updateAlertDestination',
  tag,
  summary: 'Change a destination of alerts',
  method: 'PATCH',
  path: `${root}/alert-destinations/:alertDestinationId`,
  access: 'alerts.write',
  body: alertDestinationPatch,
  response: alertDestination,
  etag: true,
});

export const deleteAlertDestination = endpoint({
  id: 'deleteAlertDestination',
  tag,
  summary: 'Delete a destination of alerts; rules lose it',
  method: 'DELETE',
  path: `${root}/alert-destinations/:alertDestinationId`,
  access: 'alerts.write',
});

export const rotateAlertDestinationSecret = endpoint({
  id: 'rotateAlertDestinationSecret',
  tag,
  summary: 'Replace the signing secret of a webhook; the old one signs no more',
  method: 'POST',
  path: `${root}/alert-destinations/:alertDestinationId/rotate-secret`,
  access: 'alerts.write',
  response: alertDestinationSecret,
  secret: true,
});

export const testAlertDestination = endpoint({
  id: 'testAlertDestination',
  tag,
  summary: 'Send a test message to a destination',
  method: 'POST',
  path: `${root}/alert-destinations/:alertDestinationId/test`,
  access: 'alerts.write',
  response: alertTestResult,
});

export const listAlertRules = endpoint({
  id: 'listAlertRules',
  tag,
  summary: 'Alert rules',
  method: 'GET',
  path: `${root}/alert-rules`,
  access: 'alerts.read',
  query: listQuery(['createdAt', 'name'], {}),
  response: alertRules,
});

export const createAlertRule = endpoint({
  id: 'createAlertRule',
  tag,
  summary: 'Add an alert rule',
  method: 'POST',
  path: `${root}/alert-rules`,
  access: 'alerts.write',
  body: alertRuleCreate,
  response: alertRule,
  status: 201,
});

export const getAlertRule = endpoint({
  id: 'getAlertRule',
  tag,
  summary: 'One alert rule',
  method: 'GET',
  path: `${root}/alert-rules/:alertRuleId`,
  access: 'alerts.read',
  response: alertRule,
  etag: true,
});

export const updateAlertRule = endpoint({
  id: 'updateAlertRule',
  tag,
  summary: 'Change an alert rule',
  method: 'PATCH',
  path: `${root}/alert-rules/:alertRuleId`,
  access: 'alerts.write',
  body: alertRulePatch,
  response: alertRule,
  etag: true,
});

export const deleteAlertRule = endpoint({
  id: 'deleteAlertRule',
  tag,
  summary: 'Delete an alert rule; its alerts stay in the log',
  method: 'DELETE',
  path: `${root}/alert-rules/:alertRuleId`,
  access: 'alerts.write',
});

export const addRecommendedAlertRules = endpoint({
  id: 'addRecommendedAlertRules',
  tag,
  summary: 'Add the recommended alert rules whose kind has no rule yet',
  method: 'POST',
  path: `${root}/recommended-alert-rules`,
  access: 'alerts.write',
  body: recommendedAlertRules,
  response: alertRules,
});

export const listAlerts = endpoint({
  id: 'listAlerts',
  tag,
  summary: 'Alerts, newest first',
  method: 'GET',
  path: `${root}/alerts`,
  access: 'alerts.read',
  query: listQuery(['createdAt'], alertFilters),
  response: alerts,
});

export const getAlert = endpoint({
  id: 'getAlert',
  tag,
  summary: 'One alert with its deliveries',
  method: 'GET',
  path: `${root}/alerts/:alertId`,
  access: 'alerts.read',
  response: alertDetail,
});

export const markAlertSeen = endpoint({
  id: 'markAlertSeen',
  tag,
  summary: 'Mark an alert as seen',
  method: 'POST',
  path: `${root}/alerts/:alertId/seen`,
  access: 'alerts.write',
  response: alert,
});

export const markAllAlertsSeen = endpoint({
  id: 'markAllAlertsSeen',
  tag,
  summary: 'Mark all alerts as seen',
  method: 'POST',
  path: `${root}/alerts-seen`,
  access: 'alerts.write',
  response: alertsSeen,
});

export const replayAlertDelivery = endpoint({
  id: 'replayAlertDelivery',
  tag,
  summary: 'Send a message of an alert again, with the same id',
  method: 'POST',
  path: `${root}/alerts/:alertId/deliveries/:alertDeliveryId/replay`,
  access: 'alerts.write',
  response: alertDelivery,
});
