import {
  ALERT_DELIVERY_STATUSES,
  ALERT_DESTINATION_KINDS,
  type AlertDeliveryStatus,
  type AlertDestinationKind,
} from '@tollgate/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

import { oneOf } from '../db/columns';
import { AlertDestination } from './alert-destination.entity';
import { Alert } from './alert.entity';
import { Organisation } from './organisation.entity';

/** A message of an alert to one destination, queued in the alert's transaction. */
@Entity('alert_delivery')
@Unique(['alertId', 'destinationId'])
@Index('alert_delivery_due_idx', ['nextAttemptAt'], { where: `status = 'PENDING'` })
@Index('alert_delivery_leased_idx', ['destinationId'], { where: 'leased_until IS NOT NULL' })
@Index(['destinationId', 'createdAt'])
@ForeignKey(() => Alert, ['alertId'], ['id'], { onDelete: 'CASCADE' })
@ForeignKey(() => AlertDestination, ['destinationId'], ['id'], { onDelete: 'SET NULL' })
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('alert_delivery_destination_kind_check', oneOf('destination_kind', ALERT_DESTINATION_KINDS))
@Check('alert_delivery_status_check', oneOf('status', ALERT_DELIVERY_STATUSES))
export class AlertDelivery {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null: a test of the destination. */
  @Column('uuid', { nullable: true })
  alertId!: string | null;

  /** Null: the destination was deleted. */
  @Column('uuid', { nullable: true })
  destinationId!: string | null;

  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  /** As it was when the message was queued. */
  @Column('text')
  destinationName!: string;

  @Column('text')
  destinationKind!: AlertDestinationKind;

  @Column('text', { default: 'PENDING' })
  status!: AlertDeliveryStatus;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz')
  nextAttemptAt!: Date;

  /** While a catalog is sending it. */
  @Column('timestamptz', { nullable: true })
  leasedUntil!: Date | null;

  /** When it is given up. */
  @Column('timestamptz')
  expiresAt!: Date;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;

  @Column('timestamptz')
  createdAt!: Date;
}
