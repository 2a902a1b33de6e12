import {
  LIMIT_MODES,
  LIMIT_SCOPES,
  VALUE_SCOPES,
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
import { LIMIT_STATUSES, type LimitStatus } from './budget.entity';
import { LimitOnValues } from './limit-on-values';
import { Organisation } from './organisation.entity';

/** Up to three rates in one row. Their counters exist only in the policy service. */
@Entity('rate_limit')
@Unique(['organisationId', 'id'])
@Index(['scopeId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('rate_limit_scope_type_check', oneOf('scope_type', LIMIT_SCOPES))
@Check('rate_limit_tag_key_check', "(scope_type = 'TAG') = (tag_key IS NOT NULL)")
@Check(
  'rate_limit_value_key_check',
  `(${oneOf('scope_type', VALUE_SCOPES)}) = (value_key IS NOT NULL)`,
)
@Check('rate_limit_mode_check', oneOf('mode', LIMIT_MODES))
@Check('rate_limit_status_check', oneOf('status', LIMIT_STATUSES))
@Check(
  'rate_limit_some_check',
  'coalesce(requests_per_minute::bigint, tokens_per_minute, concurrent_requests::bigint) IS NOT NULL',
)
@Check(
  'rate_limit_amounts_check',
  `requests_per_minute >= 0 AND tokens_per_minute BETWEEN 0 AND ${MAX_NANO_USD_SQL} AND concurrent_requests >= 0`,
)
export class RateLimit extends LimitOnValues {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  scopeType!: LimitScope;

  @Column('uuid')
  scopeId!: string;

  @Column('integer', { nullable: true })
  requestsPerMinute!: number | null;

  @Column({ ...bigintColumn, nullable: true })
  tokensPerMinute!: bigint | null;

  @Column('integer', { nullable: true })
  concurrentRequests!: number | null;

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
