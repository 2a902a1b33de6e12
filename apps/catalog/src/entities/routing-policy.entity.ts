import {
  ROUTING_STRATEGIES,
  type FailoverTrigger,
  type rest,
  type RoutingStrategy,
} from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

export const ROUTING_POLICY_STATUSES = ['ACTIVE', 'DISABLED', 'ARCHIVED'] as const;
export type RoutingPolicyStatus = (typeof ROUTING_POLICY_STATUSES)[number];

/** Which models may substitute for each other, in which order, and after which failures. */
@Entity('routing_policy')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'name'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('routing_policy_strategy_check', oneOf('strategy', ROUTING_STRATEGIES))
@Check('routing_policy_status_check', oneOf('status', ROUTING_POLICY_STATUSES))
@Check('routing_policy_retries_check', 'retries >= 0')
export class RoutingPolicy {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  strategy!: RoutingStrategy;

  @Column('jsonb')
  candidates!: rest.RoutingCandidate[];

  @Column('jsonb')
  failoverTriggers!: FailoverTrigger[];

  /** In milliseconds; null: the timeouts of the provider's connection. */
  @Column('jsonb')
  timeouts!: rest.AttemptTimeouts;

  @Column('integer', { nullable: true })
  totalTimeoutMs!: number | null;

  @Column('integer', { default: 0 })
  retries!: number;

  @Column('integer', { nullable: true })
  hedgeAfterMs!: number | null;

  @Column('text', { default: 'ACTIVE' })
  status!: RoutingPolicyStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
