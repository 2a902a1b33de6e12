'use client';

import { rest } from '@tollgate/contracts';
import { useMemo } from 'react';
import type { z } from 'zod';

import type { RestClient } from '../../api/rest-client';
import { sourceOf } from '../../resource/source';
import { useMay, useScope } from '../../shell/scope';

/** The endpoints of the page's owner: an organisation, or the platform. Both have the same ones. */

type Call = RestClient['call'];
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
    markSeen: (call: Call, alertId: string) =>
      call(rest.markAlertSeen, { params: { organisationId, alertId } }),
    markAllSeen: (call: Call) => call(rest.markAllAlertsSeen, { params }),
    replay: (call: Call, alertId: string, alertDeliveryId: string) =>
      call(rest.replayAlertDelivery, { params: { organisationId, alertId, alertDeliveryId } }),
    createRule: (call: Call, body: RuleInput) =>
      call(rest.createAlertRule, { params, body: body as RuleBody }),
    updateRule: (call: Call, id: string, body: RuleInput) =>
      call(rest.updateAlertRule, { ...rule(id), body: body as RuleBody }),
    switchRule: (call: Call, id: string, status: Status) =>
      call(rest.updateAlertRule, { ...rule(id), body: { status } }),
    deleteRule: (call: Call, id: string) => call(rest.deleteAlertRule, rule(id)),
    addRecommended: (call: Call, destinationIds: string[]) =>
      call(rest.addRecommendedAlertRules, { params, body: { destinationIds } }),
    createDestination: (call: Call, body: Destination) =>
      call(rest.createAlertDestination, { params, body }),
    updateDestination: (call: Call, id: string, body: DestinationPatch) =>
      call(rest.updateAlertDestination, { ...destination(id), body }),
    deleteDestination: (call: Call, id: string) =>
      call(rest.deleteAlertDestination, destination(id)),
    rotateSecret: (call: Call, id: string) =>
      call(rest.rotateAlertDestinationSecret, destination(id)),
    test: (call: Call, id: string) => call(rest.testAlertDestination, destination(id)),
  };
}

type AlertApi = ReturnType<typeof ofOrganisation>;

const PLATFORM: AlertApi = {
  log: sourceOf(rest.listPlatformAlerts, {}),
  rules: sourceOf(rest.listPlatformAlertRules, {}),
  destinations: sourceOf(rest.listPlatformAlertDestinations, {}),
  markSeen: (call, platformAlertId) =>
    call(rest.markPlatformAlertSeen, { params: { platformAlertId } }),
  markAllSeen: (call) => call(rest.markAllPlatformAlertsSeen, {}),
  replay: (call, platformAlertId, platformAlertDeliveryId) =>
    call(rest.replayPlatformAlertDelivery, {
      params: { platformAlertId, platformAlertDeliveryId },
    }),
  createRule: (call, body) =>
    call(rest.createPlatformAlertRule, { body: body as PlatformRuleBody }),
  updateRule: (call, platformAlertRuleId, body) =>
    call(rest.updatePlatformAlertRule, {
      params: { platformAlertRuleId },
      body: body as PlatformRuleBody,
    }),
  switchRule: (call, platformAlertRuleId, status) =>
    call(rest.updatePlatformAlertRule, { params: { platformAlertRuleId }, body: { status } }),
  deleteRule: (call, platformAlertRuleId) =>
    call(rest.deletePlatformAlertRule, { params: { platformAlertRuleId } }),
  addRecommended: (call, destinationIds) =>
    call(rest.addRecommendedPlatformAlertRules, { body: { destinationIds } }),
  createDestination: (call, body) => call(rest.createPlatformAlertDestination, { body }),
  updateDestination: (call, platformAlertDestinationId, body) =>
    call(rest.updatePlatformAlertDestination, { params: { platformAlertDestinationId }, body }),
  deleteDestination: (call, platformAlertDestinationId) =>
    call(rest.deletePlatformAlertDestination, { params: { platformAlertDestinationId } }),
  rotateSecret: (call, platformAlertDestinationId) =>
    call(rest.rotatePlatformAlertDestinationSecret, { params: { platformAlertDestinationId } }),
  test: (call, platformAlertDestinationId) =>
    call(rest.testPlatformAlertDestination, { params: { platformAlertDestinationId } }),
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
