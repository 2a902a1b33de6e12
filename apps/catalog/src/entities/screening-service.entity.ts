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
import { RowSecret } from './row-secret';

/** A service that rules of the kind EXTERNAL ask about texts. */
@Entity('screening_service')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'identifier'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
export class ScreeningService extends RowSecret {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  identifier!: string;

  @Column('text')
  name!: string;

  /** Null: the service is code. */
  @Column('text', { nullable: true })
  url!: string | null;

  @Column('jsonb')
  protocol!: rest.ScreeningProtocol;

  @Column('jsonb')
  auth!: rest.ScreeningAuth;

  /** Null: unknown. */
  @Column('text', { nullable: true })
  region!: string | null;

  /** The organisation's own API key that the secret is. Null: it is none. */
  @Column('uuid', { nullable: true })
  apiKeyId!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
