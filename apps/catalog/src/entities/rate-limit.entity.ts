import { LIMIT_MODES, SCOPE_TYPES, type LimitMode, type ScopeType } from '@tollgate/contracts';
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
import { Organisation } from './organisation.entity';

/** Up to three rates in one row. Their counters exist only in the policy service. */
@Entity('rate_limit')
@Unique(['organisationId', 'id'])
@Index(['scopeId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('rate_limit_scope_type_check', oneOf('scope_type', SCOPE_TYPES))
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
export class RateLimit {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  scopeType!: ScopeType;

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
