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
import { oneOf } from '../../db/columns';
import { Organisation } from '../organisations/organisation.entity';

export const ROUTING_STRATEGIES = ['FAILOVER', 'PRIORITY', 'ROUND_ROBIN'] as const;
export type RoutingStrategy = (typeof ROUTING_STRATEGIES)[number];

export const ROUTING_POLICY_STATUSES = ['ACTIVE', 'DISABLED', 'ARCHIVED'] as const;
export type RoutingPolicyStatus = (typeof ROUTING_POLICY_STATUSES)[number];

export type RoutingCandidate = { modelId: string; priority: number };

/** Which models may answer in place of one another, in which order, and after which failures. */
@Entity('routing_policy')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'name'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('routing_policy_strategy_check', oneOf('strategy', ROUTING_STRATEGIES))
@Check('routing_policy_status_check', oneOf('status', ROUTING_POLICY_STATUSES))
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
  candidates!: RoutingCandidate[];

  /** Of `5xx`, `timeout`, `rate_limit`, `any`. */
  @Column('jsonb')
  failoverTriggers!: string[];

  @Column('text', { default: 'ACTIVE' })
  status!: RoutingPolicyStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
