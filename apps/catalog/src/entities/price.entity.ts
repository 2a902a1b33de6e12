import type { TierPercent } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
} from 'typeorm';

import { bigintColumn, MAX_NANO_USD_SQL } from '../db/columns';
import { Model } from './model.entity';

/** A step of a stored price list: nano-USD per million tokens, as decimal strings. */
export interface StoredPriceStep {
  fromInputTokens: number;
  input: string;
  cacheRead: string;
  cacheWrite5m: string;
  cacheWrite1h: string;
  audioInput: string;
  output: string;
  audioOutput: string;
  /** Absent in prices set before images had their own: the price of input, or of output. */
  imageInput?: string;
  imageOutput?: string;
}

/** What a model costs from an instant on. Prices are never changed, only followed by newer ones. */
@Entity('price')
@Unique(['modelId', 'effectiveFrom'])
@ForeignKey(() => Model, ['organisationId', 'modelId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('price_per_request_check', `per_request_nano_usd BETWEEN 0 AND ${MAX_NANO_USD_SQL}`)
@Check('price_steps_check', `jsonb_typeof(steps) = 'array' AND jsonb_array_length(steps) > 0`)
export class Price {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid')
  modelId!: string;

  @Column('timestamptz')
  effectiveFrom!: Date;

  /** Sorted by `fromInputTokens`; the first is 0. */
  @Column('jsonb')
  steps!: StoredPriceStep[];

  @Column({ ...bigintColumn, default: 0 })
  perRequestNanoUsd!: bigint;

  /** Nano-USD per unit (image sizes, audio_second, …), as decimal strings. */
  @Column('jsonb', { default: {} })
  perUnitNanoUsd!: Record<string, string>;

  /** Percent of the token prices by processing tier. */
  @Column('jsonb', { default: {} })
  tierPercent!: TierPercent;

  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
