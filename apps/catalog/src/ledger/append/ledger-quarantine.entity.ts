import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { LedgerShard } from '../records/ledger-shard.entity';

export const QUARANTINE_STATUSES = ['OPEN', 'BOOKED', 'DISCARDED'] as const;
export type QuarantineStatus = (typeof QUARANTINE_STATUSES)[number];

/** An entry that cannot be booked, set aside so that the rest of its shard can be booked. */
@Entity('ledger_quarantine')
@Index(['status', 'createdAt'])
@Index(['shard', 'seq'])
@ForeignKey(() => LedgerShard, ['shard'], ['id'])
@Check('ledger_quarantine_status_check', oneOf('status', QUARANTINE_STATUSES))
export class LedgerQuarantine {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('smallint')
  shard!: number;

  @Column(bigintColumn)
  epoch!: bigint;

  @Column(bigintColumn)
  seq!: bigint;

  /** Null when the entry cannot be stored as JSON; `raw` holds it then. */
  @Column('jsonb', { nullable: true })
  entry!: unknown;

  @Column('bytea', { nullable: true })
  raw!: Buffer | null;

  @Column('text')
  reason!: string;

  @Column('text', { default: 'OPEN' })
  status!: QuarantineStatus;

  /** Why an operator dismissed it. */
  @Column('text', { nullable: true })
  resolution!: string | null;

  @Column('timestamptz', { nullable: true })
  resolvedAt!: Date | null;

  @Column('uuid', { nullable: true })
  resolvedBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
