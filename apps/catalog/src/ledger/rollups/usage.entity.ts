import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { TokenCounts } from '../records/token-counts.entity';

/**
 * The hourly rollup for charts and totals: one row for each hour (UTC, of the authorise instant),
 * organisation, team, user, key, model, provider and MCP server. The id is a hash of those, because a unique
 * index would treat null teams and users as different.
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

  @Column('uuid', { nullable: true })
  mcpServerId!: string | null;

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

  /** Requests with an unknown outcome; late usage moves them to another count. */
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
