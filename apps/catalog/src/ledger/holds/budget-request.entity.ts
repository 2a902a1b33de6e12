import { HOLD_STATES, type HoldStateName } from '@tollgate/contracts';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';

/**
 * A request's hold as the policy service last reported it. Reported are long-lived holds and those
 * that ended other than SETTLED. Shown to people; no decision reads it.
 */
@Entity('budget_request')
@Index(['organisationId', 'state', 'authorisedAt'])
@Index('budget_request_abandoned_idx', ['requestId'], { where: `state = 'ABANDONED'` })
@Check('budget_request_state_check', oneOf('state', HOLD_STATES))
export class BudgetRequest {
  @PrimaryColumn('uuid')
  requestId!: string;

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

  @Column('text')
  state!: HoldStateName;

  @Column('timestamptz')
  authorisedAt!: Date;

  @Column('timestamptz')
  leaseUntil!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  /** Version of the report: an older report never overwrites a newer one. */
  @Column(bigintColumn)
  version!: bigint;

  /** When an operator resolved an abandoned hold. */
  @Column('timestamptz', { nullable: true })
  resolvedAt!: Date | null;

  @Column('uuid', { nullable: true })
  resolvedBy!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
