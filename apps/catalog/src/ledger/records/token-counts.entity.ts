import { Column } from 'typeorm';

import { bigintColumn } from '../../db/columns';

/** Token and saving columns shared by records, adjustments and rollups. The token classes are disjoint. */
export abstract class TokenCounts {
  @Column({ ...bigintColumn, default: 0 })
  inputTokens!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  cacheReadTokens!: bigint;

  @Column({ ...bigintColumn, name: 'cache_write_5m_tokens', default: 0 })
  cacheWrite5mTokens!: bigint;

  @Column({ ...bigintColumn, name: 'cache_write_1h_tokens', default: 0 })
  cacheWrite1hTokens!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  audioInputTokens!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  imageInputTokens!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  outputTokens!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  audioOutputTokens!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  imageOutputTokens!: bigint;

  /** Part of the output tokens, not added to them. */
  @Column({ ...bigintColumn, default: 0 })
  reasoningTokens!: bigint;

  /** What providers' caches saved; negative if they cost. */
  @Column({ ...bigintColumn, default: 0 })
  cacheSavedNanoUsd!: bigint;

  /** What routing saved; negative if it cost. */
  @Column({ ...bigintColumn, default: 0 })
  routingSavedNanoUsd!: bigint;
}

/** What a record or an adjustment adds to windows, one column for each quota metric. */
export abstract class MeteredAmounts extends TokenCounts {
  @Column(bigintColumn)
  costNanoUsd!: bigint;

  @Column('integer')
  requests!: number;

  @Column('integer')
  errors!: number;

  @Column(bigintColumn)
  tokensIn!: bigint;

  @Column(bigintColumn)
  tokensOut!: bigint;

  /** Time spent upstream, the metric LATENCY_MS. */
  @Column(bigintColumn)
  upstreamMs!: bigint;
}
