import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { BillingRecipient } from '../../entities/billing-recipient';
import { Organisation } from '../../entities/organisation.entity';

export const INVOICE_STATUSES = ['DRAFT', 'ISSUED', 'VOID'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/**
 * What an organisation owes for a month. A draft can be recomputed; an issued invoice is final,
 * except that it can be voided, and keeps its number.
 */
@Entity('invoice')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'number'])
@Index('invoice_open_key', ['organisationId', 'month'], { unique: true, where: `status <> 'VOID'` })
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('invoice_status_check', oneOf('status', INVOICE_STATUSES))
@Check('invoice_span_check', 'starts_at < ends_at')
export class Invoice extends BillingRecipient {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  /** Assigned when it is issued. */
  @Column('text', { nullable: true })
  number!: string | null;

  /** The first day of the month, in the organisation's calendar. */
  @Column('date')
  month!: string;

  /** The zone of the month's start and end. */
  @Column('text', { default: 'UTC' })
  timeZone!: string;

  @Column('timestamptz')
  startsAt!: Date;

  @Column('timestamptz')
  endsAt!: Date;

  @Column('text', { default: 'DRAFT' })
  status!: InvoiceStatus;

  @Column(bigintColumn)
  totalNanoUsd!: bigint;

  /**
   * Which rows of the books its lines are computed from: those of earlier transactions than this one, without those
   * that still ran. Null: computed by an earlier release.
   */
  @Column({ ...bigintColumn, nullable: true })
  bookedBeforeXid!: bigint | null;

  @Column('bigint', { array: true, nullable: true })
  bookedWithoutXids!: string[] | null;

  @Column('timestamptz', { nullable: true })
  issuedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  voidedAt!: Date | null;

  @Column('text', { nullable: true })
  voidReason!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
