import type { rest } from '@tollgate/contracts';
import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { Organisation } from './organisation.entity';

/** Another name for a model, which may stand for different models at different times. */
@Entity('model_alias')
@Unique(['organisationId', 'name'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
export class ModelAlias {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  displayName!: string | null;

  /** Ascending by instant; the last one that has begun is in force. */
  @Column('jsonb')
  targets!: rest.AliasTarget[];

  /** Null: no end is announced. */
  @Column('jsonb', { nullable: true })
  retirement!: rest.Retirement | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
