import type { ScreeningRule } from '@tollgate/contracts';
import { Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';

import { ScreeningPolicy } from './screening-policy.entity';

/** The rules of one version of a screening policy. Never updated: records and edges name versions. */
@Entity('screening_policy_version')
@Unique(['policyId', 'version'])
@ForeignKey(() => ScreeningPolicy, ['organisationId', 'policyId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
export class ScreeningPolicyVersion {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid')
  policyId!: string;

  @Column('integer')
  version!: number;

  @Column('jsonb')
  rules!: ScreeningRule[];

  /** Null: not saved by a user. */
  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
