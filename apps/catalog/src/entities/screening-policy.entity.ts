import type { rest, ScreeningRule } from '@tollgate/contracts';
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

export const SCREENING_POLICY_STATUSES = ['ACTIVE', 'DISABLED'] as const;
export type ScreeningPolicyStatus = (typeof SCREENING_POLICY_STATUSES)[number];

/** Rules about the texts of requests and answers, and what they are attached to. */
@Entity('screening_policy')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'identifier'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('screening_policy_status_check', oneOf('status', SCREENING_POLICY_STATUSES))
@Check('screening_policy_version_check', 'version > 0')
export class ScreeningPolicy {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  identifier!: string;

  @Column('text')
  name!: string;

  /** Of its rules. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('jsonb')
  attachedTo!: rest.ScreeningAttachment[];

  @Column('jsonb')
  rules!: ScreeningRule[];

  @Column('text', { default: 'ACTIVE' })
  status!: ScreeningPolicyStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
