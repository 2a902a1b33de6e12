import { EXPERIMENT_STATUSES, type ExperimentStatus, type rest } from '@tollgate/contracts';
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

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

/** A model that gets a part of the requests a second time. */
export interface StoredShadow {
  modelId: string;
  samplePercent: number;
}

/** Requests for a name are split between the models of its arms. */
@Entity('experiment')
@Unique(['organisationId', 'name'])
@Index('experiment_active_model_key', ['organisationId', 'model'], {
  unique: true,
  where: `status = 'ACTIVE'`,
})
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('experiment_status_check', oneOf('status', EXPERIMENT_STATUSES))
export class Experiment {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  name!: string;

  /** The name that requests ask for. */
  @Column('text')
  model!: string;

  @Column('jsonb')
  arms!: rest.ExperimentArm[];

  /** What its budget says is in the table of budgets. Null: none. */
  @Column('jsonb', { nullable: true })
  shadow!: StoredShadow | null;

  @Column('text', { default: 'ACTIVE' })
  status!: ExperimentStatus;

  /** Null: since it exists. */
  @Column('timestamptz', { nullable: true })
  startsAt!: Date | null;

  /** Null: never. */
  @Column('timestamptz', { nullable: true })
  endsAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
