import { rest } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';

import { bigintColumn, oneOf } from '../db/columns';
import { ExportDestination } from './export-destination.entity';

/**
 * One delivery. The payload is stored before the first attempt, so that every attempt sends the same
 * bytes, unless an end user is forgotten; it is deleted when they have arrived. A destination has at most one pending batch.
 */
@Entity('export_batch')
@Unique(['destinationId', 'number'])
@Index('export_batch_pending_key', ['destinationId'], {
  unique: true,
  where: `status = 'PENDING'`,
})
@ForeignKey(() => ExportDestination, ['destinationId'], ['id'], { onDelete: 'CASCADE' })
@Check('export_batch_record_check', oneOf('record', rest.EXPORT_RECORDS))
@Check('export_batch_status_check', oneOf('status', rest.EXPORT_BATCH_STATUSES))
export class ExportBatch {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  destinationId!: string;

  /** Counts the batches of the destination, from 1. */
  @Column(bigintColumn)
  number!: bigint;

  @Column('text')
  record!: rest.ExportRecord;

  @Column('text', { default: 'PENDING' })
  status!: rest.ExportBatchStatus;

  @Column('integer')
  rowCount!: number;

  /** The instant of its oldest record. */
  @Column('timestamptz')
  oldestAt!: Date;

  @Column('boolean')
  compressed!: boolean;

  /** Of the payload, as sent. */
  @Column('integer')
  byteCount!: number;

  @Column('bytea', { nullable: true })
  payload!: Buffer | null;

  @Column('integer', { default: 0 })
  attempts!: number;

  /** HTTP status of the last attempt; null: there was no answer. */
  @Column('integer', { nullable: true })
  lastStatus!: number | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;
}
