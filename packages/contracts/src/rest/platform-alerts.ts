import { alertFilters } from './alert-endpoints';
import {
  alertRule,
  alertRules,
  platformAlertRuleCreate,
  platformAlertRulePatch,
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
const root = '/api/admin';

export const listPlatformAlertDestinations = endpoint({
  id: 'listPlatformAlertDestinations',
  tag,
  summary: 'Destinations of alerts of the platform',
  method: 'GET',
  path: `${root}/alert-destinations`,
  access: 'platform.alerts.read',
  query: listQuery(['createdAt', 'name'], {}),
  response: alertDestinations,
});

export const createPlatformAlertDestination = endpoint({
  id: 'createPlatformAlertDestination',
  tag,
  summary: 'Add a destination of alerts of the platform; the signing secret is shown once',
  method: 'POST',
  path: `${root}/alert-destinations`,
  access: 'platform.alerts.write',
  body: alertDestinationCreate,
  response: alertDestinationSecret,
  status: 201,
  secret: true,
});

export const getPlatformAlertDestination = endpoint({
  id: 'getPlatformAlertDestination',
  tag,
  summary: 'One destination of alerts of the platform',
  method: 'GET',
  path: `${root}/alert-destinations/:platformAlertDestinationId`,
  access: 'platform.alerts.read',
  response: alertDestination,
  etag: true,
});

export const updatePlatformAlertDestination = endpoint({
  id: 'updatePlatformAlertDestination',
  tag,
  summary: 'Change a destination of alerts of the platform',
  method: 'PATCH',
  path: `${root}/alert-destinations/:platformAlertDestinationId`,
  access: 'platform.alerts.write',
  body: alertDestinationPatch,
  response: alertDestination,
  etag: true,
});

export const deletePlatformAlertDestination = endpoint({
  id: 'deletePlatformAlertDestination',
  tag,
  summary: 'Delete a destination of alerts of the platform; rules lose it',
  method: 'DELETE',
  path: `${root}/alert-destinations/:platformAlertDestinationId`,
  access: 'platform.alerts.write',
});

export const rotatePlatformAlertDestinationSecret = endpoint({
  id: 'rotatePlatformAlertDestinationSecret',
  tag,
  summary: 'Replace the signing secret of a webhook of the platform; the old one signs no more',
  method: 'POST',
  path: `${root}/alert-destinations/:platformAlertDestinationId/rotate-secret`,
  access: 'platform.alerts.write',
  response: alertDestinationSecret,
  secret: true,
});

export const testPlatformAlertDestination = endpoint({
  id: 'testPlatformAlertDestination',
  tag,
  summary: 'Send a test message to a destination of the platform',
  method: 'POST',
  path: `${root}/alert-destinations/:platformAlertDestinationId/test`,
  access: 'platform.alerts.write',
  response: alertTestResult,
});

export const listPlatformAlertRules = endpoint({
  id: 'listPlatformAlertRules',
  tag,
  summary: 'Alert rules of the platform',
  method: 'GET',
  path: `${root}/alert-rules`,
  access: 'platform.alerts.read',
  query: listQuery(['createdAt', 'name'], {}),
  response: alertRules,
});

export const createPlatformAlertRule = endpoint({
  id: 'createPlatformAlertRule',
  tag,
  summary: 'Add an alert rule of the platform',
  method: 'POST',
  path: `${root}/alert-rules`,
  access: 'platform.alerts.write',
  body: platformAlertRuleCreate,
  response: alertRule,
  status: 201,
});

export const getPlatformAlertRule = endpoint({
  id: 'getPlatformAlertRule',
  tag,
  summary: 'One alert rule of the platform',
  method: 'GET',
  path: `${root}/alert-rules/:platformAlertRuleId`,
  access: 'platform.alerts.read',
  response: alertRule,
  etag: true,
});

export const updatePlatformAlertRule = endpoint({
  id: 'updatePlatformAlertRule',
  tag,
  summary: 'Change an alert rule of the platform',
  method: 'PATCH',
  path: `${root}/alert-rules/:platformAlertRuleId`,
  access: 'platform.alerts.write',
  body: platformAlertRulePatch,
  response: alertRule,
  etag: true,
});

export const deletePlatformAlertRule = endpoint({
  id: 'deletePlatformAlertRule',
  tag,
  summary: 'Delete an alert rule of the platform; its alerts stay in the log',
  method: 'DELETE',
  path: `${root}/alert-rules/:platformAlertRuleId`,
  access: 'platform.alerts.write',
});

export const addRecommendedPlatformAlertRules = endpoint({
  id: 'addRecommendedPlatformAlertRules',
  tag,
  summary: 'Add the recommended alert rules of the platform whose kind has no rule yet',
  method: 'POST',
  path: `${root}/recommended-alert-rules`,
  access: 'platform.alerts.write',
  body: recommendedAlertRules,
  response: alertRules,
});

export const listPlatformAlerts = endpoint({
  id: 'listPlatformAlerts',
  tag,
  summary: 'Alerts of the platform, newest first',
  method: 'GET',
  path: `${root}/alerts`,
  access: 'platform.alerts.read',
  query: listQuery(['createdAt'], alertFilters),
  response: alerts,
});

export const getPlatformAlert = endpoint({
  id: 'getPlatformAlert',
  tag,
  summary: 'One alert of the platform with its deliveries',
  method: 'GET',
  path: `${root}/alerts/:platformAlertId`,
  access: 'platform.alerts.read',
  response: alertDetail,
});

export const markPlatformAlertSeen = endpoint({
  id: 'markPlatformAlertSeen',
  tag,
  summary: 'Mark an alert of the platform as seen',
  method: 'POST',
  path: `${root}/alerts/:platformAlertId/seen`,
  access: 'platform.alerts.write',
  response: alert,
});

export const markAllPlatformAlertsSeen = endpoint({
  id: 'markAllPlatformAlertsSeen',
  tag,
  summary: 'Mark all alerts of the platform as seen',
  method: 'POST',
  path: `${root}/alerts-seen`,
  access: 'platform.alerts.write',
  response: alertsSeen,
});

export const replayPlatformAlertDelivery = endpoint({
  id: 'replayPlatformAlertDelivery',
  tag,
  summary: 'Send a message of an alert of the platform again, with the same id',
  method: 'POST',
  path: `${root}/alerts/:platformAlertId/deliveries/:platformAlertDeliveryId/replay`,
  access: 'platform.alerts.write',
  response: alertDelivery,
});
