import { rest, restError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { attempt, takeOne, type DeliveryDeps } from '../../alerts';
import { AlertDelivery } from '../../entities/alert-delivery.entity';
import { findDestination } from './destinations';
import { ownerOf, type Within } from './owner';

/** The span in which tests are counted, and after which one that was not sent is given up. */
const LIFE_MS = 3_600_000;

/**
 * Sends a test message as alerts are sent, and tells what came of it. The number of tests in an
 * hour is bounded, because a destination may be anybody's address.
 */
export async function testDestination(
  call: Within,
  id: string,
  deps: DeliveryDeps,
): Promise<rest.AlertTestResult> {
  const deliveryId = await queueTest(call, id);
  const taken = await takeOne(deps, deliveryId);
  if (taken === undefined)
    return { delivered: false, error: 'It is being sent. See the receiver.' };
  const { outcome, error } = await attempt(deps, taken);
  return { delivered: outcome === 'DELIVERED', error };
}

/** In a transaction of its own, under the destination's lock, so that tests are counted. */
async function queueTest(call: Within, id: string): Promise<string> {
  const { nowMs } = call;
  const owner = ownerOf(call);
  return call.db.transaction(async (db) => {
    const destination = await findDestination(db, owner, id, true);
    const recent = await db
      .createQueryBuilder(AlertDelivery, 'delivery')
      .where('delivery.destinationId = :id AND delivery.alertId IS NULL', { id })
      .andWhere('delivery.createdAt > :since', { since: new Date(nowMs - LIFE_MS) })
      .getCount();
    if (recent >= rest.ALERT_TESTS_PER_HOUR) {
      throw restError(
        'too_many_requests',
        `A destination is tested at most ${rest.ALERT_TESTS_PER_HOUR} times an hour.`,
      );
    }
    const deliveryId = uuidv7();
    await db.insert(AlertDelivery, {
      id: deliveryId,
      alertId: null,
      destinationId: id,
      organisationId: destination.organisationId,
      destinationName: destination.name,
      destinationKind: destination.kind,
      nextAttemptAt: new Date(nowMs),
      expiresAt: new Date(nowMs + LIFE_MS),
      createdAt: new Date(nowMs),
    });
    return deliveryId;
  });
}
