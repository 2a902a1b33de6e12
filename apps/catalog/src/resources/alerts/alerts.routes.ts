import { rest } from '@tollgate/contracts';

import type { DeliveryDeps } from '../../alerts';
import { serve, serveDetached, type Route } from '../../rest/call';
import * as alerts from './alerts';
import * as destinations from './destinations';
import * as rules from './rules';
import { testDestination } from './test-destination';

export interface AlertRouteDeps extends destinations.DestinationDeps {
  readonly delivery: DeliveryDeps;
}

/** Of an organisation. */
function organisationRoutes(deps: AlertRouteDeps): Route[] {
  return [
    serve(rest.listAlertDestinations, (call) => destinations.list(call, call.query)),
    serve(rest.createAlertDestination, (call) => destinations.create(call, call.body, deps)),
    serve(rest.getAlertDestination, (call) =>
      destinations.get(call, call.params.alertDestinationId),
    ),
    serve(rest.updateAlertDestination, (call) =>
      destinations.update(call, call.params.alertDestinationId, call.body, deps),
    ),
    serve(rest.deleteAlertDestination, (call) =>
      destinations.remove(call, call.params.alertDestinationId),
    ),
    serve(rest.rotateAlertDestinationSecret, (call) =>
      destinations.rotateSecret(call, call.params.alertDestinationId, deps),
    ),
    serveDetached(rest.testAlertDestination, (call) =>
      testDestination(call, call.params.alertDestinationId, deps.delivery),
    ),
    serve(rest.listAlertRules, (call) => rules.list(call, call.query)),
    serve(rest.createAlertRule, (call) => rules.create(call, call.body)),
    serve(rest.getAlertRule, (call) => rules.get(call, call.params.alertRuleId)),
    serve(rest.updateAlertRule, (call) => rules.update(call, call.params.alertRuleId, call.body)),
    serve(rest.deleteAlertRule, (call) => rules.remove(call, call.params.alertRuleId)),
    serve(rest.addRecommendedAlertRules, (call) =>
      rules.addRecommended(call, call.body.destinationIds),
    ),
    serve(rest.listAlerts, (call) => alerts.list(call, call.query)),
    serve(rest.getAlert, (call) => alerts.get(call, call.params.alertId)),
    serve(rest.markAlertSeen, (call) => alerts.markSeen(call, call.params.alertId)),
    serve(rest.markAllAlertsSeen, (call) => alerts.markAllSeen(call)),
    serve(rest.replayAlertDelivery, (call) =>
      alerts.replay(call, call.params.alertId, call.params.alertDeliveryId),
    ),
  ];
}

/** Of the platform. */
function platformRoutes(deps: AlertRouteDeps): Route[] {
  return [
    serve(rest.listPlatformAlertDestinations, (call) => destinations.list(call, call.query)),
    serve(rest.createPlatformAlertDestination, (call) =>
      destinations.create(call, call.body, deps),
    ),
    serve(rest.getPlatformAlertDestination, (call) =>
      destinations.get(call, call.params.platformAlertDestinationId),
    ),
    serve(rest.updatePlatformAlertDestination, (call) =>
      destinations.update(call, call.params.platformAlertDestinationId, call.body, deps),
    ),
    serve(rest.deletePlatformAlertDestination, (call) =>
      destinations.remove(call, call.params.platformAlertDestinationId),
    ),
    serve(rest.rotatePlatformAlertDestinationSecret, (call) =>
      destinations.rotateSecret(call, call.params.platformAlertDestinationId, deps),
    ),
    serveDetached(rest.testPlatformAlertDestination, (call) =>
      testDestination(call, call.params.platformAlertDestinationId, deps.delivery),
    ),
    serve(rest.listPlatformAlertRules, (call) => rules.list(call, call.query)),
    serve(rest.createPlatformAlertRule, (call) => rules.create(call, call.body)),
    serve(rest.getPlatformAlertRule, (call) => rules.get(call, call.params.platformAlertRuleId)),
    serve(rest.updatePlatformAlertRule, (call) =>
      rules.update(call, call.params.platformAlertRuleId, call.body),
    ),
    serve(rest.deletePlatformAlertRule, (call) =>
      rules.remove(call, call.params.platformAlertRuleId),
    ),
    serve(rest.addRecommendedPlatformAlertRules, (call) =>
      rules.addRecommended(call, call.body.destinationIds),
    ),
    serve(rest.listPlatformAlerts, (call) => alerts.list(call, call.query)),
    serve(rest.getPlatformAlert, (call) => alerts.get(call, call.params.platformAlertId)),
    serve(rest.markPlatformAlertSeen, (call) => alerts.markSeen(call, call.params.platformAlertId)),
    serve(rest.markAllPlatformAlertsSeen, (call) => alerts.markAllSeen(call)),
    serve(rest.replayPlatformAlertDelivery, (call) =>
      alerts.replay(call, call.params.platformAlertId, call.params.platformAlertDeliveryId),
    ),
  ];
}

export function createAlertRoutes(deps: AlertRouteDeps): Route[] {
  return [...organisationRoutes(deps), ...platformRoutes(deps)];
}
