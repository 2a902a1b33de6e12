import { rest } from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../db/columns';
import { Organisation } from '../entities/organisation.entity';
import { RowSecret } from '../entities/row-secret';

/**
 * Where records are delivered to, and how that goes. Its secret signs webhooks, or is the secret key
 * of the storage.
 */
@Entity('export_destination')
@Index(['organisationId', 'id'])
@Index('export_destination_due_idx', ['nextAttemptAt'], { where: `status = 'ACTIVE'` })
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('export_destination_status_check', oneOf('status', rest.EXPORT_STATUSES))
export class ExportDestination extends RowSecret {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null: of the platform, with the records of all organisations. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  @Column('text')
  name!: string;

  @Column('jsonb')
  target!: rest.ExportTarget;

  @Column('text', { array: true })
  records!: rest.ExportRecord[];

  /** Records since this instant are delivered first; null: only those written from now on. */
  @Column('timestamptz', { nullable: true })
  startFrom!: Date | null;

  @Column('integer')
  maxRows!: number;

  @Column('integer')
  intervalSeconds!: number;

  @Column('text', { default: 'ACTIVE' })
  status!: rest.ExportStatus;

  /** When the next step is due; while a worker has the lease, the end of the lease. */
  @Column('timestamptz')
  nextAttemptAt!: Date;

  /** The worker's step. Null: nobody works on it. */
  @Column('uuid', { nullable: true })
  lease!: string | null;

  /** Failures since the last success. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { nullable: true })
  lastErrorAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastDeliveredAt!: Date | null;

  @Column({ ...bigintColumn, default: 0 })
  deliveredBatches!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  deliveredRows!: bigint;

  /** Counted up to a bound. */
  @Column('integer', { default: 0 })
  waitingRows!: number;

  /** The instant of the oldest record that waits. */
  @Column('timestamptz', { nullable: true })
  waitingSince!: Date | null;

  @Column('timestamptz', { nullable: true })
  measuredAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
