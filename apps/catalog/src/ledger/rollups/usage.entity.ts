import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../db/columns';
import { TokenCounts } from '../records/token-counts.entity';

/**
 * The rollup that charts and totals read: one row per hour (UTC, of the authorise instant) and
 * combination of organisation, team, user, key, model and provider. The id is derived from those, so
 * that a missing team or user does not make two rows of one.
 */
@Entity('usage')
@Index(['organisationId', 'hour'])
@Index(['apiKeyId', 'hour'])
export class Usage extends TokenCounts {
  @PrimaryColumn('uuid')
  id!: string;

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

  @Column('timestamptz')
  hour!: Date;

  @Column({ ...bigintColumn, default: 0 })
  requests!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  completed!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  partial!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  failed!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  budgetStopped!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  clientClosed!: bigint;

  /** Requests whose end nobody knows; late truth moves them to another count. */
  @Column({ ...bigintColumn, default: 0 })
  abandoned!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  errors!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  tokensIn!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  tokensOut!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  costNanoUsd!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  upstreamMs!: bigint;

  /** Sum over `latencyCount` requests, for the mean. */
  @Column({ ...bigintColumn, default: 0 })
  latencyMs!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  latencyCount!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
