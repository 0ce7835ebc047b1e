import { RouterProvider } from '@tanstack/react-router';
import { mount } from '../mount.tsx';
import { router } from './routes.tsx';

mount(<RouterProvider router={router} />);
