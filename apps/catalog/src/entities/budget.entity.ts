import {
  BUDGET_PERIODS,
  LIMIT_MODES,
  LIMIT_SCOPES,
  VALUE_SCOPES,
  type BudgetPeriod,
  type LimitMode,
  type LimitScope,
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
import { LimitOnValues } from './limit-on-values';
import { Organisation } from './organisation.entity';

export const LIMIT_STATUSES = ['ACTIVE', 'DISABLED'] as const;
export type LimitStatus = (typeof LIMIT_STATUSES)[number];

/**
 * A cap on spend. Organisation and scope never change, which a trigger enforces, because windows
 * are sums over the scope. Another trigger refuses a scope of another organisation.
 */
@Entity('budget')
@Unique(['organisationId', 'id'])
@Index(['scopeId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('budget_scope_type_check', oneOf('scope_type', LIMIT_SCOPES))
@Check('budget_tag_key_check', "(scope_type = 'TAG') = (tag_key IS NOT NULL)")
@Check('budget_value_key_check', `(${oneOf('scope_type', VALUE_SCOPES)}) = (value_key IS NOT NULL)`)
@Check('budget_lifetime_check', "period <> 'LIFETIME' OR value_key IS NOT NULL")
@Check('budget_period_check', oneOf('period', BUDGET_PERIODS))
@Check('budget_mode_check', oneOf('mode', LIMIT_MODES))
@Check('budget_status_check', oneOf('status', LIMIT_STATUSES))
@Check('budget_limit_nano_usd_check', `limit_nano_usd BETWEEN 0 AND ${MAX_NANO_USD_SQL}`)
export class Budget extends LimitOnValues {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  scopeType!: LimitScope;

  /** The id of the organisation, team, user, key, model or MCP server. */
  @Column('uuid')
  scopeId!: string;

  @Column('text')
  period!: BudgetPeriod;

  @Column(bigintColumn)
  limitNanoUsd!: bigint;

  @Column('text', { default: 'HARD' })
  mode!: LimitMode;

  /** Reduces the output bound to what is left instead of refusing. */
  @Column('boolean', { default: false })
  clampToBudget!: boolean;

  @Column('text', { default: 'ACTIVE' })
  status!: LimitStatus;

  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
