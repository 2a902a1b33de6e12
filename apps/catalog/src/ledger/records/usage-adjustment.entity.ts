import { OUTCOMES, type Outcome } from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

import { oneOf, writtenXidColumn } from '../../db/columns';
import { MeteredAmounts } from './token-counts.entity';

export const ADJUSTMENT_KINDS = ['LATE_SETTLED', 'LATE_CANCELLED', 'CORRECTION', 'RERATE'] as const;
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number];

/**
 * A difference to a record, in every amount; amounts may be negative. It counts in the windows of
 * the record's authorise instant. Late usage with another model takes two rows: part 0 removes
 * everything from the first model, part 1 books it on the second.
 */
@Entity('usage_adjustment')
@Index('usage_adjustment_late_key', ['requestId', 'part'], {
  unique: true,
  where: `kind IN ('LATE_SETTLED', 'LATE_CANCELLED')`,
})
@Index(['requestId'])
@Index(['organisationId', 'authorisedAt'])
@Index(['organisationId', 'id'])
@Index(['writtenXid', 'id'], { where: 'written_xid IS NOT NULL' })
@Check('usage_adjustment_kind_check', oneOf('kind', ADJUSTMENT_KINDS))
@Check('usage_adjustment_outcome_check', oneOf('outcome', OUTCOMES))
export class UsageAdjustment extends MeteredAmounts {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  requestId!: string;

  @Column('smallint', { default: 0 })
  part!: number;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid', { nullable: true })
  teamId!: string | null;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('uuid')
  apiKeyId!: string;

  @Column('uuid', { nullable: true })
  modelId!: string | null;

  @Column('uuid', { nullable: true })
  providerId!: string | null;

  /** Set for requests to an MCP server, which have neither model nor provider. */
  @Column('uuid', { nullable: true })
  mcpServerId!: string | null;

  /** The record's authorise instant. */
  @Column('timestamptz')
  authorisedAt!: Date;

  @Column('text')
  kind!: AdjustmentKind;

  @Column('text')
  reason!: string;

  /** The real outcome, when late usage tells it. */
  @Column('text', { nullable: true })
  outcome!: Outcome | null;

  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  /** The price, or the re-rating, behind the amounts. */
  @Column('uuid', { nullable: true })
  priceId!: string | null;

  /** The units that late usage reported; null when units do not change. */
  @Column('jsonb', { nullable: true })
  units!: Record<string, string> | null;

  /** The processing tiers that late usage was charged at; null: standard processing, or nothing changes. */
  @Column('text', { nullable: true })
  serviceTier!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  /** The transaction that wrote the row, for the export. Null: written before it was stored. */
  @Column(writtenXidColumn)
  writtenXid!: bigint | null;
}
