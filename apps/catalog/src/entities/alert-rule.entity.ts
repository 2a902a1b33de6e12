import { ALERT_KINDS, type AlertKind, type rest } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { LIMIT_STATUSES, type LimitStatus } from './budget.entity';
import { Organisation } from './organisation.entity';

/** What an administrator wants to hear of. */
@Entity('alert_rule')
@Index(['organisationId'])
@Index('alert_rule_active_idx', ['kind'], { where: `status = 'ACTIVE'` })
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('alert_rule_kind_check', oneOf('kind', ALERT_KINDS))
@Check('alert_rule_status_check', oneOf('status', LIMIT_STATUSES))
export class AlertRule {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null: of the platform. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  @Column('text')
  name!: string;

  /** That of the condition; it never changes. */
  @Column('text')
  kind!: AlertKind;

  @Column('jsonb')
  condition!: rest.AlertCondition;

  @Column('text', { default: 'ACTIVE' })
  status!: LimitStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
