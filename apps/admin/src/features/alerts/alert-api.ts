'use client';

import { rest } from '@tollgate/contracts';
import { useMemo } from 'react';
import type { z } from 'zod';

import type { RestClient } from '../../api/rest-client';
import { sourceOf } from '../../resource/source';
import { useMay, useScope } from '../../shell/scope';

/** The endpoints of the page's owner: an organisation, or the platform. Both have the same ones. */

type Client = Pick<RestClient, 'call'>;
type Destination = z.input<typeof rest.alertDestinationCreate>;
type DestinationPatch = z.input<typeof rest.alertDestinationPatch>;
export interface RuleInput {
  readonly name: string;
  readonly condition: z.input<typeof rest.alertCondition>;
  readonly destinationIds: string[];
}
/** The form offers the owner's kinds only. */
type RuleBody = z.input<typeof rest.alertRuleCreate>;
type PlatformRuleBody = z.input<typeof rest.platformAlertRuleCreate>;
type Status = 'ACTIVE' | 'DISABLED';

function ofOrganisation(organisationId: string) {
  const params = { organisationId };
  const rule = (alertRuleId: string) => ({ params: { organisationId, alertRuleId } });
  const destination = (alertDestinationId: string) => ({
    params: { organisationId, alertDestinationId },
  });
  return {
    log: sourceOf(rest.listAlerts, params),
    rules: sourceOf(rest.listAlertRules, params),
    destinations: sourceOf(rest.listAlertDestinations, params),
    markSeen: (client: Client, alertId: string) =>
      client.call(rest.markAlertSeen, { params: { organisationId, alertId } }),
    markAllSeen: (client: Client) => client.call(rest.markAllAlertsSeen, { params }),
    replay: (client: Client, alertId: string, alertDeliveryId: string) =>
      client.call(rest.replayAlertDelivery, {
        params: { organisationId, alertId, alertDeliveryId },
      }),
    createRule: (client: Client, body: RuleInput) =>
      client.call(rest.createAlertRule, { params, body: body as RuleBody }),
    updateRule: (client: Client, id: string, body: RuleInput) =>
      client.call(rest.updateAlertRule, { ...rule(id), body: body as RuleBody }),
    switchRule: (client: Client, id: string, status: Status) =>
      client.call(rest.updateAlertRule, { ...rule(id), body: { status } }),
    deleteRule: (client: Client, id: string) => client.call(rest.deleteAlertRule, rule(id)),
    addRecommended: (client: Client, destinationIds: string[]) =>
      client.call(rest.addRecommendedAlertRules, { params, body: { destinationIds } }),
    createDestination: (client: Client, body: Destination) =>
      client.call(rest.createAlertDestination, { params, body }),
    updateDestination: (client: Client, id: string, body: DestinationPatch) =>
      client.call(rest.updateAlertDestination, { ...destination(id), body }),
    deleteDestination: (client: Client, id: string) =>
      client.call(rest.deleteAlertDestination, destination(id)),
    rotateSecret: (client: Client, id: string) =>
      client.call(rest.rotateAlertDestinationSecret, destination(id)),
    test: (client: Client, id: string) => client.call(rest.testAlertDestination, destination(id)),
  };
}

type AlertApi = ReturnType<typeof ofOrganisation>;

const PLATFORM: AlertApi = {
  log: sourceOf(rest.listPlatformAlerts, {}),
  rules: sourceOf(rest.listPlatformAlertRules, {}),
  destinations: sourceOf(rest.listPlatformAlertDestinations, {}),
  markSeen: (client, platformAlertId) =>
    client.call(rest.markPlatformAlertSeen, { params: { platformAlertId } }),
  markAllSeen: (client) => client.call(rest.markAllPlatformAlertsSeen, {}),
  replay: (client, platformAlertId, platformAlertDeliveryId) =>
    client.call(rest.replayPlatformAlertDelivery, {
      params: { platformAlertId, platformAlertDeliveryId },
    }),
  createRule: (client, body) =>
    client.call(rest.createPlatformAlertRule, { body: body as PlatformRuleBody }),
  updateRule: (client, platformAlertRuleId, body) =>
    client.call(rest.updatePlatformAlertRule, {
      params: { platformAlertRuleId },
      body: body as PlatformRuleBody,
    }),
  switchRule: (client, platformAlertRuleId, status) =>
    client.call(rest.updatePlatformAlertRule, {
      params: { platformAlertRuleId },
      body: { status },
    }),
  deleteRule: (client, platformAlertRuleId) =>
    client.call(rest.deletePlatformAlertRule, { params: { platformAlertRuleId } }),
  addRecommended: (client, destinationIds) =>
    client.call(rest.addRecommendedPlatformAlertRules, { body: { destinationIds } }),
  createDestination: (client, body) => client.call(rest.createPlatformAlertDestination, { body }),
  updateDestination: (client, platformAlertDestinationId, body) =>
    client.call(rest.updatePlatformAlertDestination, {
      params: { platformAlertDestinationId },
      body,
    }),
  deleteDestination: (client, platformAlertDestinationId) =>
    client.call(rest.deletePlatformAlertDestination, { params: { platformAlertDestinationId } }),
  rotateSecret: (client, platformAlertDestinationId) =>
    client.call(rest.rotatePlatformAlertDestinationSecret, {
      params: { platformAlertDestinationId },
    }),
  test: (client, platformAlertDestinationId) =>
    client.call(rest.testPlatformAlertDestination, { params: { platformAlertDestinationId } }),
};

/** Endpoints whose answers a change outdates. */
export const STALE_RULES = [rest.listAlertRules.id, rest.listPlatformAlertRules.id];
export const STALE_DESTINATIONS = [
  rest.listAlertDestinations.id,
  rest.listPlatformAlertDestinations.id,
  ...STALE_RULES,
];
export const STALE_LOG = [
  rest.listAlerts.id,
  rest.listPlatformAlerts.id,
  rest.getAlert.id,
  rest.getPlatformAlert.id,
];

export function useAlertApi(): AlertApi {
  const organisationId = useScope().organisation?.id;
  return useMemo(
    () => (organisationId === undefined ? PLATFORM : ofOrganisation(organisationId)),
    [organisationId],
  );
}

export function useMayWriteAlerts(): boolean {
  const ofPlatform = useScope().organisation === null;
  const platform = useMay('platform.alerts.write');
  const own = useMay('alerts.write');
  return ofPlatform ? platform : own;
}
