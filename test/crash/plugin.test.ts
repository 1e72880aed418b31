import { testQuickCases } from "./kills";

testQuickCases("plugin");
