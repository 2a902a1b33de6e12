import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn, oneOf } from '../../db/columns';
import { LedgerShard } from '../records/ledger-shard.entity';

export const QUARANTINE_STATUSES = ['OPEN', 'BOOKED', 'DISCARDED'] as const;
export type QuarantineStatus = (typeof QUARANTINE_STATUSES)[number];

/** An entry that could not be booked, set aside so that the rest of its shard flows on. */
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

  /** Null when the entry could not even be decoded; `raw` has it then. */
  @Column('jsonb', { nullable: true })
  entry!: unknown;

  @Column('bytea', { nullable: true })
  raw!: Buffer | null;

  @Column('text')
  reason!: string;

  @Column('text', { default: 'OPEN' })
  status!: QuarantineStatus;

  /** Why it was dismissed. */
  @Column('text', { nullable: true })
  resolution!: string | null;

  @Column('timestamptz', { nullable: true })
  resolvedAt!: Date | null;

  @Column('uuid', { nullable: true })
  resolvedBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
