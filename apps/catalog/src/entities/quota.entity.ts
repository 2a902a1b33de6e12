import {
  BUDGET_PERIODS,
  LIMIT_MODES,
  LIMIT_SCOPES,
  QUOTA_METRICS,
  VALUE_SCOPES,
  type BudgetPeriod,
  type LimitMode,
  type LimitScope,
  type QuotaMetric,
} from '@tollgate/contracts';
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

import { bigintColumn, MAX_NANO_USD_SQL, oneOf } from '../db/columns';
import { LIMIT_STATUSES, type LimitStatus } from './budget.entity';
import { LimitOnValues } from './limit-on-values';
import { Organisation } from './organisation.entity';

/** A cap on a metric, for each calendar period or fixed span. Scope and metric never change. */
@Entity('quota')
@Unique(['organisationId', 'id'])
@Index(['scopeId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('quota_scope_type_check', oneOf('scope_type', LIMIT_SCOPES))
@Check('quota_tag_key_check', "(scope_type = 'TAG') = (tag_key IS NOT NULL)")
@Check('quota_value_key_check', `(${oneOf('scope_type', VALUE_SCOPES)}) = (value_key IS NOT NULL)`)
@Check('quota_lifetime_check', "period IS NULL OR period <> 'LIFETIME' OR value_key IS NOT NULL")
@Check('quota_metric_check', oneOf('metric', QUOTA_METRICS))
@Check('quota_period_check', oneOf('period', BUDGET_PERIODS))
@Check(
  'quota_window_check',
  '(period IS NULL) <> (window_seconds IS NULL) AND coalesce(window_seconds, 1) > 0',
)
@Check('quota_mode_check', oneOf('mode', LIMIT_MODES))
@Check('quota_status_check', oneOf('status', LIMIT_STATUSES))
@Check('quota_limit_amount_check', `limit_amount BETWEEN 0 AND ${MAX_NANO_USD_SQL}`)
export class Quota extends LimitOnValues {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  scopeType!: LimitScope;

  @Column('uuid')
  scopeId!: string;

  @Column('text')
  metric!: QuotaMetric;

  @Column('text', { nullable: true })
  period!: BudgetPeriod | null;

  /** Instead of a period; windows are aligned to the epoch. */
  @Column('integer', { nullable: true })
  windowSeconds!: number | null;

  /** A count, or nano-USD when the metric is COST. */
  @Column(bigintColumn)
  limitAmount!: bigint;

  @Column('text', { default: 'HARD' })
  mode!: LimitMode;

  @Column('text', { default: 'ACTIVE' })
  status!: LimitStatus;

  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
